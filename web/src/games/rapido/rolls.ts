/** The best answer to every roll, as cells of a grid. */
import { byDice, cellOf, type RollCell } from '../../coach/rolls';
import { glyphs } from '../../draw/glyphs';
import { SIGNS, type Sign } from '../../draw/marks';
import type { RollsView } from '../../protocol';
import { DIE_A, DIE_B } from './dice';

/** The number of a field, as it stands on the tower. */
export const plateSign = (field: number): Sign => ({
  svg:
    '<rect x="1" y="1" width="22" height="22" rx="5" fill="var(--plate)"/>' +
    glyphs(field, 12, 12.4, 13, 'var(--plate-ink)', 15),
  colour: 'var(--plate)',
});

/** All rolls of the two dice, a row for each face of die A. */
export function cellsOf(rolls: RollsView): RollCell[] {
  const falls = byDice(rolls);
  return DIE_A.flatMap((a) =>
    DIE_B.flatMap((b) =>
      cellOf(a + b, falls.get(a + b), 'place', (word, field) => {
        if (word === 'place') return plateSign(field);
        return word ? SIGNS.again : isCross(a + b) ? SIGNS.fall : SIGNS.won;
      }),
    ),
  );
}

/** Whether a roll shows an X. */
export const isCross = (dice: string): boolean => dice.includes('X');
