import { describe, expect, it } from 'vitest';
import { SIGNS } from '../../draw/marks';
import type { FallLine, RollsView } from '../../protocol';
import { cellsOf, plateSign } from './rolls';

const fall = (dice: string[], plan: string[], more: Partial<FallLine> = {}): FallLine => ({
  dice,
  plan,
  chance: dice.length / 36,
  wins: {},
  win: 0.5,
  ...more,
});
const rolls = (...falls: FallLine[]): RollsView => ({ source: 'exact', turn: 0, win: 0.5, falls });

describe('the cells of all rolls', () => {
  it('are in the order of the dice, and know what is best', () => {
    const cells = cellsOf(rolls(fall(['26'], ['place 3']), fall(['12', '21'], ['again']), fall(['1X'], [])));
    expect(cells.map(({ id, sign, tone }) => [id, sign, tone])).toEqual([
      ['12', SIGNS.again, 'on'],
      ['1X', SIGNS.fall, 'end'],
      ['21', SIGNS.again, 'on'],
      ['26', plateSign(3), 'stop'],
    ]);
  });
  it('distinguish a double that wins from an X', () => {
    expect(cellsOf(rolls(fall(['33'], [], { win: 1 })))[0]?.sign).toBe(SIGNS.won);
  });
});
