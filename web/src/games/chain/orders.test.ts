import { describe, expect, it } from 'vitest';
import { afterwards, beginning, nextAfter, ordersOf, put, waitsFor, type Orders } from './orders';

// 2-3 with 3, 5, 6 and 1 to link: 1 needs the turn at 6
const orders: Orders = {
  all: [
    [3, 5, 6, 1],
    [3, 6, 5, 1],
    [5, 6, 3, 1],
    [6, 5, 3, 1],
    [6, 1, 3, 5],
  ],
  complete: true,
  after: [],
};

describe('orders of loose dice', () => {
  it('come from a message', () => {
    const sequences = { decisions: ['link 1', 'link 5'], orders: [[1, 0, 0]], complete: true, ends: [], after: [] };
    expect(ordersOf(sequences)).toEqual({ all: [[5, 1, 1]], complete: true, after: [undefined] });
    expect(ordersOf(null)).toBeNull();
  });
  it('say what may be done afterwards', () => {
    const [up, down] = [{ up: { facts: [], rolls: {} } }, { down: { facts: [], rolls: {} } }];
    const decisions = ['link 1', 'link 5'];
    const all = [
      [0, 1],
      [1, 0],
      [0, 1],
    ];
    const found = ordersOf({ decisions, orders: all, complete: true, ends: [1, 0, 1], after: [up, down] });
    expect(found?.after).toEqual([down, up, down]);
    expect(found && afterwards(found, [])).toEqual(down);
    expect(found && afterwards(found, [5])).toEqual(up);
    expect(afterwards(orders, [6])).toEqual({});
  });
  it('are narrowed by what is chosen', () => {
    expect(beginning(orders, [3])).toHaveLength(2);
    expect(nextAfter(orders, [])).toEqual(new Set([3, 5, 6]));
    expect(nextAfter(orders, [6])).toEqual(new Set([5, 1]));
    expect(nextAfter(orders, [3, 5, 6, 1])).toEqual(new Set());
  });
  it('say after which die another one fits', () => {
    expect(waitsFor(orders, [], 1)).toBe(6);
    expect(waitsFor(orders, [6], 3)).toBeNull(); // after the 5, or after the 1
    expect(waitsFor({ ...orders, complete: false }, [], 1)).toBeNull();
  });
  it('let a die be put at another place, if that is legal', () => {
    expect(put(orders, [3, 5, 6, 1], 2, 0)).toEqual([6]);
    expect(put(orders, [3, 5, 6, 1], 2, 1)).toEqual([3, 6]);
    expect(put(orders, [3, 5, 6, 1], 3, 0)).toBeNull();
    expect(put(orders, [3, 5, 6, 1], 0, 0)).toBeNull();
  });
});
