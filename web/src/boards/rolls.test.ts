import { describe, expect, it } from 'vitest';
import type { ChainState, FallLine, RollsView } from '../protocol';
import { atStart, holding, linked, put, rolling, textOf } from './chainText';
import { chainCells, chainOf, failing, rapidoCells } from './rolls';

const fall = (dice: string[], plan: string[], more: Partial<FallLine> = {}): FallLine => ({ dice, plan, chance: dice.length / 36, wins: {}, win: 0.5, ...more });
const rolls = (...falls: FallLine[]): RollsView => ({ source: 'exact', turn: 0, win: 0.5, falls });

describe('cells of Rapido', () => {
  it('are in the order of the dice, and know what is best', () => {
    const cells = rapidoCells(rolls(fall(['26'], ['place 3']), fall(['12', '21'], ['again']), fall(['1X'], [])));
    expect(cells.map(({ id, mark, number, tone }) => [id, mark, number, tone])).toEqual([
      ['12', 'again', -1, 'on'],
      ['1X', 'fall', -1, 'end'],
      ['21', 'again', -1, 'on'],
      ['26', 'place', 3, 'stop'],
    ]);
  });
  it('tell a double that wins from an X', () => {
    expect(rapidoCells(rolls(fall(['33'], [], { win: 1 })))[0]?.mark).toBe('won');
  });
});

describe('cells of Chain', () => {
  const found = rolls(fall(['345'], ['link 4', 'link 5', 'up']), fall(['324', '435'], [], { chance: 0.25 }), fall(['211'], ['link 1', 'link 1', 'move 15']));
  it('are those of a coloured die, or all', () => {
    expect(chainCells(found, '3').map(({ id }) => id)).toEqual(['324', '345']);
    expect(chainCells(found, null).map(({ id, mark, number }) => [id, mark, number])).toEqual([['211', 'move', 15], ['324', 'fail', -1], ['345', 'up', -1], ['435', 'fail', -1]]);
  });
  it('show the chain that is built, or the dice as they fell', () => {
    expect(chainCells(found, null).map(chainOf)).toEqual([['2', '1', '1'], ['3', '2', '4'], ['3', '4', '5'], ['4', '3', '5']]);
  });
  it('know how often there is none', () => expect(failing(found)).toBe(0.25));
});

describe('a position of Chain', () => {
  const state: ChainState = { turn: 0, phase: 'keep', hands: [4, 2], pool: 10, discs: [[2, 15], [4, 15]], piles: [[2, [0]], [4, [1]], [15, [1, 0]]], chain: { numbers: [], last: 0, heading: 'open' }, loose: [] };
  it('has a text', () => {
    expect(textOf(state)).toBe('turn=0 phase=keep hands=4,2 pool=10 discs=2+15,4+15 stacks=2:0,4:1,15:1+0 chain=-/0/open loose=-');
    expect(textOf({ ...atStart(state), discs: [[0, 0], [0, 34]], piles: [] })).toContain('discs=0+0,0+34 stacks=-');
  });
  it('keeps its dice when hands change', () => {
    expect(textOf(holding(state, 1, 5))).toContain('hands=4,5 pool=7');
    expect(textOf(rolling(state, 3))).toContain('phase=roll hands=3,2 pool=11');
  });
  it('is decided on with a chain, whose direction is what its end looks like', () => {
    expect(textOf(linked(state, [3, 4, 4]))).toContain('phase=decide hands=3,2 pool=11');
    expect([[3], [3, 3], [3, 5], [5, 3, 3], [5, 6]].map((links) => linked(state, links).chain.heading)).toEqual(['open', 'open', 'up', 'down', 'open']);
    expect(linked(linked(state, [3, 4]), []).phase).toBe('keep');
  });
  it('has a disc on top of those where it was put', () => {
    const moved = put(state, 1, 15, 2, 34);
    expect([moved.discs, moved.piles]).toEqual([[[2, 15], [2, 4]], [[2, [0, 1]], [4, [1]], [15, [0]]]]);
    expect(put(state, 0, 2, 34, 34)).toMatchObject({ discs: [[15, 34], [4, 15]], piles: [[4, [1]], [15, [1, 0]]] });
    expect(put(put(state, 0, 2, 0, 34), 0, 0, 7, 34).piles).toContainEqual([7, [0]]);
  });
});
