import { expect, it } from 'vitest';
import { tally } from './stats';

const fact = (kind: string, seat: number, more: object = {}) => ({ kind, ruling: 'C0', seat, ...more });

it('sums the statistics from the facts', () => {
  const facts = [
    fact('rolled', 0, { number: 4, coloured: true }),
    fact('added', 0, { number: 5, links: 2 }),
    fact('moved', 0, { start: 0, end: 2, links: 2 }),
    fact('took_arrow', 0, { start: 2, end: 9 }),
    fact('covered', 0, { victim: 1, space: 9 }),
    fact('rolled', 1, { number: 1, coloured: true }),
    fact('missed', 1, { number: 1 }),
    fact('failed', 1, { used: 2, lost: 1 }),
    fact('moved', 0, { start: 9, end: 14, links: 5 }),
    fact('took_arrow', 0, { start: 14, end: 3 }),
    fact('covered', 0, { victim: 0, space: 3 }),
  ];
  const stats = Object.fromEntries(tally.stats(facts, 2, []).map(({ key, values }) => [key, values]));
  expect(stats).toMatchObject({
    longest: [5, 0],
    chains: [2, 0],
    average: [3.5, NaN],
    failed: [0, 1],
    lost: [0, 1],
    covers: [1, 0],
    covered: [0, 1],
    onward: [1, 0],
    back: [1, 0],
    rolls: [2, 2],
    dice: [4.5, 1],
  });
  expect(tally.dice(facts, null)[0]?.counts).toEqual([2, 0, 0, 1, 1, 0]);
});
