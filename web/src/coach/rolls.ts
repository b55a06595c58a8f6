/** What to do with every roll, as cells of a grid: pure, from what the server says. A game's `rolls.ts` makes them. */
import type { Sign } from '../draw/marks';
import type { FallLine, RollsView } from '../protocol';

/** One roll, and the best that can be done with it. */
export interface RollCell {
  /** What the dice show. */
  id: string;
  fall: FallLine;
  /** The last action of the plan; empty if the dice ended the turn. */
  best: string;
  sign: Sign;
  /** Whether the turn stops, goes on, or was ended by the dice. */
  tone: 'stop' | 'on' | 'end';
}

/** What the dice can show, and what follows from it. */
export const byDice = ({ falls }: RollsView): Map<string, FallLine> =>
  new Map(falls.flatMap((fall) => fall.dice.map((dice) => [dice, fall])));

/** The cell of a roll; none if the dice cannot show it. `stops` is the word of the action that ends a turn. */
export function cellOf(
  id: string,
  fall: FallLine | undefined,
  stops: string,
  signOf: (word: string, number: number) => Sign,
): RollCell[] {
  if (!fall) return [];
  const best = fall.plan.at(-1) ?? '';
  const [word = '', number] = best.split(' ');
  const tone = !best ? 'end' : word === stops ? 'stop' : 'on';
  return [{ id, fall, best, tone, sign: signOf(word, Number(number ?? -1)) }];
}
