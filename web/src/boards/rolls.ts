/** What to do with every roll, as cells of a grid: pure, from what the server says. */
import { DIE_A, DIE_B, DIE_PIPS } from '../draw/dice';
import type { Mark } from '../draw/marks';
import type { FallLine, RollsView } from '../protocol';

/** One roll, and the best that can be done with it. */
export interface RollCell {
  /** What the dice show: of Rapido die A and die B, of Chain the coloured die and then the others. */
  id: string;
  fall: FallLine;
  /** The last action of the plan; empty if the dice ended the turn. */
  best: string;
  /** A sign for it; where an own disc moves or a pair is placed, its space or field. */
  mark: Mark | 'place' | 'move';
  number: number;
  /** Whether it stops, goes on, or was ended by the dice. */
  tone: 'stop' | 'on' | 'end';
}

const byDice = ({ falls }: RollsView): Map<string, FallLine> => new Map(falls.flatMap((fall) => fall.dice.map((dice) => [dice, fall])));

function cellOf(id: string, fall: FallLine | undefined, ended: (id: string) => Mark): RollCell[] {
  if (!fall) return [];
  const best = fall.plan.at(-1) ?? '';
  const [word = '', number] = best.split(' ');
  const tone = !best ? 'end' : word === 'place' || word === 'move' ? 'stop' : 'on';
  return [{ id, fall, best, mark: best ? (word as RollCell['mark']) : ended(id), number: Number(number ?? -1), tone }];
}

/** All rolls of Rapido's two dice, a row for each face of die A. */
export function rapidoCells(rolls: RollsView): RollCell[] {
  const falls = byDice(rolls);
  return DIE_A.flatMap((a) => DIE_B.flatMap((b) => cellOf(a + b, falls.get(a + b), (dice) => (dice.includes('X') ? 'fall' : 'won'))));
}

/** The rolls of Chain's dice with this number on the coloured one, or all of them. */
export function chainCells(rolls: RollsView, coloured: string | null): RollCell[] {
  const falls = byDice(rolls);
  return [...falls.keys()]
    .filter((dice) => coloured === null || dice.startsWith(coloured))
    .sort()
    .flatMap((dice) => cellOf(dice, falls.get(dice), () => 'fail'));
}

/** The chain that the plan builds, in its order: the coloured die first. */
export const chainOf = ({ id, fall }: RollCell): string[] =>
  fall.plan.length ? [id.charAt(0), ...fall.plan.flatMap((action) => (action.startsWith('link ') ? [action.slice(5)] : []))] : [...id];

/** How often the dice make no chain at all. */
export const failing = ({ falls }: RollsView): number => falls.reduce((sum, { plan, chance }) => (plan.length ? sum : sum + chance), 0);

/** All numbers of a die, for choosing what the coloured one shows. */
export const NUMBERS = DIE_PIPS;
