import { expect, it } from 'vitest';
import { rove } from './roving.svelte';

it('wraps around in a list, with all arrows', () => {
  expect(['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'].map((key) => rove(key, 2, 3))).toEqual([0, 0, 1, 1]);
  expect(rove('ArrowUp', 0, 3)).toBe(2);
});
it('goes in four directions in a grid, and stops at its edges', () => {
  const keys = ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp'];
  expect(keys.map((key) => rove(key, 7, 12, 6))).toEqual([8, 6, 7, 1]);
  expect(keys.map((key) => rove(key, 0, 12, 6))).toEqual([1, 0, 6, 0]);
});
it('goes to both ends, and leaves other keys alone', () => {
  expect([rove('Home', 2, 4), rove('End', 0, 4), rove('Enter', 0, 4), rove('ArrowUp', 0, 0)]).toEqual([
    0,
    3,
    null,
    null,
  ]);
});
