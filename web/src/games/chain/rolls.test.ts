import { describe, expect, it } from 'vitest';
import { SIGNS } from '../../draw/marks';
import type { FallLine, RollsView } from '../../protocol';
import { cellsOf, discSign, failing, linksOf } from './rolls';

const fall = (dice: string[], plan: string[], more: Partial<FallLine> = {}): FallLine => ({
  dice,
  plan,
  chance: dice.length / 36,
  wins: {},
  win: 0.5,
  ...more,
});
const rolls = (...falls: FallLine[]): RollsView => ({ source: 'exact', turn: 0, win: 0.5, falls });

describe('the cells of rolls', () => {
  const found = rolls(
    fall(['345'], ['link 4', 'link 5', 'up']),
    fall(['324', '435'], [], { chance: 0.25 }),
    fall(['211'], ['link 1', 'link 1', 'move 15']),
  );
  it('are those of a coloured die, or all', () => {
    expect(cellsOf(found, '3', 'red').map(({ id }) => id)).toEqual(['324', '345']);
    expect(cellsOf(found, null, 'red').map(({ id, sign, tone }) => [id, sign, tone])).toEqual([
      ['211', discSign('red', 15), 'stop'],
      ['324', SIGNS.fail, 'end'],
      ['345', SIGNS.up, 'on'],
      ['435', SIGNS.fail, 'end'],
    ]);
  });
  it('show the chain that is built, or the dice as they fell', () => {
    expect(cellsOf(found, null, 'red').map(linksOf)).toEqual([
      ['2', '1', '1'],
      ['3', '2', '4'],
      ['3', '4', '5'],
      ['4', '3', '5'],
    ]);
  });
  it('know how often there is none', () => expect(failing(found)).toBe(0.25));
});
