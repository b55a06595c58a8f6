/** The best answer to every roll, as cells of a grid. */
import { byDice, cellOf, type RollCell } from '../../coach/rolls';
import { fill, ink, lip, shapeOf, type Colour } from '../../draw/colours';
import { glyphs } from '../../draw/glyphs';
import { SIGNS, type Sign } from '../../draw/marks';
import type { RollsView } from '../../protocol';

/** A disc that moves, with the space where it lies; with its shape alone it waits at the start. */
export const discSign = (colour: Colour, space: number): Sign => ({
  svg:
    `<circle cx="12" cy="13.2" r="10.3" fill="${lip(colour)}"/>` +
    `<circle cx="12" cy="11.8" r="10" fill="${fill(colour)}" stroke="var(--edge)" stroke-width="1"/>` +
    (space > 0
      ? glyphs(space, 12, 12, 9.5, ink(colour), 16)
      : `<path d="${shapeOf(colour).d}" transform="translate(12 11.8) scale(.12)" fill="${ink(colour)}"/>`),
  colour: fill(colour),
});

/** The rolls with this number on the coloured die, or all of them; discs are drawn in the seat's colour. */
export function cellsOf(rolls: RollsView, coloured: string | null, colour: Colour): RollCell[] {
  const falls = byDice(rolls);
  return [...falls.keys()]
    .filter((dice) => coloured === null || dice.startsWith(coloured))
    .toSorted()
    .flatMap((dice) =>
      cellOf(dice, falls.get(dice), 'move', (word, space) => {
        if (word === 'move') return discSign(colour, space);
        return word === 'up' ? SIGNS.up : word === 'down' ? SIGNS.down : SIGNS.fail;
      }),
    );
}

/** The chain that the plan builds, in its order: the coloured die first. */
export const linksOf = ({ id, fall }: RollCell): string[] =>
  fall.plan.length
    ? [id.charAt(0), ...fall.plan.flatMap((action) => (action.startsWith('link ') ? [action.slice(5)] : []))]
    : [...id];

/** How often the dice make no chain at all. */
export const failing = ({ falls }: RollsView): number =>
  falls.reduce((sum, { plan, chance }) => (plan.length ? sum : sum + chance), 0);
