import { expect, test } from 'vitest';
import { Keeping } from './keeping.svelte';

const [ANA, BENTO] = [0, 1];

test('a hand that was rolled before is known, a larger one is not', () => {
  const keeping = new Keeping();
  expect(keeping.knows(2)).toBe(false);
  keeping.keep(ANA, 4, 4);
  expect([2, 4, 5].map((hand) => keeping.knows(hand))).toEqual([true, true, false]);
});

test('a hand that was cut is cut again, and not rolled whole', () => {
  const keeping = new Keeping();
  keeping.keep(ANA, 6, 6);
  keeping.keep(ANA, 3, 7);
  expect([2, 3, 7].map((hand) => keeping.usual(ANA, hand))).toEqual([2, 3, 3]);
  expect([3, 4].map((hand) => keeping.knows(hand))).toEqual([true, false]);
  keeping.keep(ANA, 5, 5); // more again: the limit grows
  expect(keeping.usual(ANA, 7)).toBe(5);
});

test('each seat at this device has a limit of its own', () => {
  const keeping = new Keeping();
  keeping.keep(ANA, 2, 5);
  expect([ANA, BENTO].map((seat) => keeping.usual(seat, 5))).toEqual([2, 5]);
});
