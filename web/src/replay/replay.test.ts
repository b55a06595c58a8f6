import { describe, expect, it } from 'vitest';
import type { ReplayData } from '../api';
import { rapido } from '../games/rapido/script';
import { tally } from '../games/rapido/stats';
import { bestOf } from './tally';
import { atMost, film, lineAt, luckOf, seatsAt, turnAt } from './replay';

const position = (turn: number, phase: string, steps: number[], value = 0, tower: unknown[] = []) => ({
  turn,
  phase,
  value,
  steps,
  tower,
});
const fact = (kind: string, seat: number, more: object = {}) => ({ kind, ruling: 'R0', seat, ...more });

const data: ReplayData = {
  game: 'rapido',
  options: { players: 2, finish: 5 },
  date: '2026-11-15',
  dice: 'fair',
  seats: [
    { name: 'Ana', bot: '', colours: ['red', 'green'] },
    { name: 'Bento', bot: 'simple', colours: ['blue', 'yellow'] },
  ],
  winner: 1,
  ruling: 'R15',
  result: '',
  proof: null,
  verdict: '',
  rolls: [],
  sides: [],
  start: position(0, 'first', [0, 3]),
  steps: [
    {
      action: '7X',
      facts: [fact('rolled', 0, { dice: '7X', value: 70 })],
      position: position(0, 'decide', [0, 3], 70),
    },
    { action: 'again', facts: [fact('rolled_again', 0)], position: position(0, 'later', [0, 3]) },
    {
      action: '22',
      facts: [fact('rolled', 0, { dice: '22', value: 22 }), fact('doubled', 0, { climbed: 2, step: 2 })],
      position: position(0, 'decide', [2, 3], 22),
    },
    {
      action: 'place 4',
      facts: [fact('placed', 0, { field: 4, value: 22 }), fact('threw_out', 0, { victim: 1, field: 4, value: 21 })],
      position: position(1, 'first', [2, 3], 0, [{ field: 4, seat: 0, value: 22 }]),
    },
    {
      action: '33',
      facts: [
        fact('rolled', 1, { dice: '33', value: 33 }),
        fact('doubled', 1, { climbed: 3, step: 5 }),
        fact('won', 1),
      ],
      position: position(1, 'over', [2, 5]),
    },
  ],
  texts: [],
  judged: false,
  remarks: [
    { ply: 3, seat: 0, action: 'bot simple' },
    { ply: 5, seat: 0, action: 'resign' },
  ],
  text: '',
};
const made = film(data, rapido);

describe('a film', () => {
  it('has a picture for every number of plies, and its turns', () => {
    expect(made.views).toHaveLength(6);
    expect(made.turns).toEqual([
      { seat: 0, from: 0, to: 4 },
      { seat: 1, from: 4, to: 5 },
    ]);
    expect([0, 1, 4, 5].map((ply) => turnAt(made.turns, ply))).toEqual([1, 1, 2, 2]);
  });

  it('lists facts and what happened at the table, in order', () => {
    const lines = made.lines.map((line) => `${line.ply} ${line.fact?.kind ?? line.key}`);
    expect(lines).toContain('3 web.event.bot');
    expect(lines.indexOf('3 web.event.bot')).toBe(lines.indexOf('3 doubled') + 1);
    expect(lines.at(-1)).toBe('5 web.event.resign');
    expect(lineAt(made.lines, 0)).toBe(-1);
    expect(made.lines[lineAt(made.lines, 3)]?.key).toBe('web.event.bot');
    expect(lineAt(made.lines, 5)).toBe(lines.length - 1);
  });

  it('knows who sat there at each moment', () => {
    expect(seatsAt(data, 2)[0]).toMatchObject({ bot: null, owner: 'person', resigned: false });
    expect(seatsAt(data, 3)[0]).toMatchObject({ bot: 'simple', owner: 'person', resigned: false });
    expect(seatsAt(data, 5)[0]).toMatchObject({ resigned: true });
    expect(seatsAt(data, 0)[1]).toMatchObject({ bot: 'simple', owner: 'bot' });
  });
});

describe('statistics', () => {
  const facts = made.steps.flatMap((step) => step.facts);

  it('are summed from the facts', () => {
    const stats = Object.fromEntries(tally.stats(facts, 2, made.turns).map(({ key, values }) => [key, values]));
    expect(stats).toMatchObject({
      doubled: [2, 3],
      doubles: [1, 1],
      threw_out: [1, 0],
      thrown_out: [0, 1],
      crosses: [0, 0],
      rolls: [2, 1],
      per_turn: [2, 1],
    });
    expect(tally.dice(facts, null).map(({ counts }) => counts)).toEqual([
      [0, 1, 1, 0, 1, 0],
      [0, 1, 1, 0, 0, 1],
    ]);
    expect(tally.dice(facts, 1)[0]?.counts).toEqual([0, 0, 1, 0, 0, 0]);
  });

  it('mark who is best, unless all are', () => {
    expect(bestOf({ key: '', values: [3, 5, 5], best: 'high' })).toEqual([1, 2]);
    expect(bestOf({ key: '', values: [3, 5, 5], best: 'low' })).toEqual([0]);
    expect(bestOf({ key: '', values: [5, 5], best: 'low' })).toEqual([]);
    expect(bestOf({ key: '', values: [1, 5] })).toEqual([]);
    expect(bestOf({ key: '', values: [NaN, 2, 3], best: 'low' })).toEqual([1]);
  });
});

describe('luck', () => {
  const die = (counts: number[]) => ({ key: '', faces: ['1', '2', '3', '4', '5', '6'], counts });

  it('counts as likely what fair dice do', () => {
    expect(atMost(10, 10, 1 / 6)).toBeCloseTo(1);
    expect(atMost(10, 0, 1 / 6)).toBeCloseTo((5 / 6) ** 10);
    expect(atMost(4, 1, 0.5)).toBeCloseTo(5 / 16);
    expect(atMost(3000, 500, 1 / 6)).toBeGreaterThan(0.5);
  });

  it('is within the usual, or names the face', () => {
    expect(luckOf(die([10, 9, 12, 8, 11, 10]), 6)).toMatchObject({ rolls: 60, expected: 10, odd: null });
    expect(luckOf(die([10, 9, 30, 0, 1, 10]), 6).odd).toBe(2);
    expect(luckOf(die([0, 0, 0, 0, 0, 0]), 6)).toEqual({ rolls: 0, expected: 0, low: 0, high: 0, odd: null });
  });

  it('is odd in at most one of twenty matches with fair dice', () => {
    let odd = 0;
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let match = 0; match < 400; match++) {
      const counts = [0, 0, 0, 0, 0, 0];
      for (let i = 0; i < 90; i++) counts[Math.floor(random() * 6)]! += 1;
      if (luckOf(die(counts), 6).odd !== null) odd += 1;
    }
    expect(odd).toBeLessThan(400 * 0.06);
    expect(odd).toBeGreaterThan(0);
  });
});
