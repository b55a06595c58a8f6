import { describe, expect, it } from 'vitest';
import type { Fact } from '../../match/facts';
import { climbsOf, thrownOut } from './traces';

const fact = (kind: string, seat: number, more: object = {}): Fact => ({ kind, ruling: 'R0', seat, ...more });

describe('what was done while a player waited', () => {
  it('has the way of each piece, from where it was first', () => {
    const facts = [
      fact('scored', 1, { climbed: 3, step: 8 }),
      fact('doubled', 1, { climbed: 2, step: 10 }),
      fact('fell', 2, { crosses: 1, fallen: 1, step: 4 }),
      fact('placed', 2, { field: 3, value: 62 }),
    ];
    expect(climbsOf(facts, [0, 10, 4])).toEqual([
      { seat: 1, from: 5, to: 10 },
      { seat: 2, from: 5, to: 4 },
    ]);
  });
  it('has no way of a piece that is back where it was', () => {
    const facts = [fact('doubled', 1, { climbed: 1, step: 6 }), fact('fell', 1, { crosses: 1, fallen: 1, step: 5 })];
    expect(climbsOf(facts, [0, 5])).toEqual([]);
  });
  it('has the pairs that were thrown out, unless another lies there now', () => {
    const facts = [
      fact('threw_out', 1, { victim: 0, field: 4, value: 53 }),
      fact('threw_out', 1, { victim: 2, field: 5, value: 31 }),
    ];
    expect(thrownOut(facts, [{ field: 5, seat: 1, colour: 0 }])).toEqual([
      { seat: 0, colour: 0, field: 4, value: 53, dice: ['3', '5'] },
    ]);
  });
  it('gives a pair the color that does not lie on the tower (R16)', () => {
    const facts = [
      fact('threw_out', 1, { victim: 0, field: 4, value: 53 }),
      fact('threw_out', 1, { victim: 0, field: 2, value: 31 }),
    ];
    const colours = (tower: { field: number; seat: number; colour: number }[], n: number) =>
      thrownOut(facts.slice(0, n), tower).map(({ colour }) => colour);
    expect(colours([{ field: 5, seat: 0, colour: 0 }], 1)).toEqual([1]);
    expect(colours([{ field: 5, seat: 0, colour: 1 }], 1)).toEqual([0]);
    expect(colours([], 2)).toEqual([0, 1]);
  });
});
