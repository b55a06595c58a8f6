import { describe, expect, it } from 'vitest';
import type { ChainState } from '../../protocol';
import { atStart, holding, linked, put, rolling, textOf } from './text';

describe('a position', () => {
  const state: ChainState = {
    turn: 0,
    phase: 'keep',
    hands: [4, 2],
    pool: 10,
    discs: [
      [2, 15],
      [4, 15],
    ],
    piles: [
      [2, [0]],
      [4, [1]],
      [15, [1, 0]],
    ],
    chain: { numbers: [], last: 0, heading: 'open' },
    loose: [],
  };
  it('has a text', () => {
    expect(textOf(state)).toBe(
      'turn=0 phase=keep hands=4,2 pool=10 discs=2+15,4+15 stacks=2:0,4:1,15:1+0 chain=-/0/open loose=-',
    );
    expect(
      textOf({
        ...atStart(state),
        discs: [
          [0, 0],
          [0, 34],
        ],
        piles: [],
      }),
    ).toContain('discs=0+0,0+34 stacks=-');
  });
  it('keeps its dice when hands change', () => {
    expect(textOf(holding(state, 1, 5))).toContain('hands=4,5 pool=7');
    expect(textOf(rolling(state, 3))).toContain('phase=roll hands=3,2 pool=11');
  });
  it('is decided on with a chain, whose direction is what its end looks like', () => {
    expect(textOf(linked(state, [3, 4, 4]))).toContain('phase=decide hands=3,2 pool=11');
    expect([[3], [3, 3], [3, 5], [5, 3, 3], [5, 6]].map((links) => linked(state, links).chain.heading)).toEqual([
      'open',
      'open',
      'up',
      'down',
      'open',
    ]);
    expect(linked(linked(state, [3, 4]), []).phase).toBe('keep');
  });
  it('has a disc on top of those where it was put', () => {
    const moved = put(state, 1, 15, 2, 34);
    expect([moved.discs, moved.piles]).toEqual([
      [
        [2, 15],
        [2, 4],
      ],
      [
        [2, [0, 1]],
        [4, [1]],
        [15, [0]],
      ],
    ]);
    expect(put(state, 0, 2, 34, 34)).toMatchObject({
      discs: [
        [15, 34],
        [4, 15],
      ],
      piles: [
        [4, [1]],
        [15, [1, 0]],
      ],
    });
    expect(put(put(state, 0, 2, 0, 34), 0, 0, 7, 34).piles).toContainEqual([7, [0]]);
  });
});
