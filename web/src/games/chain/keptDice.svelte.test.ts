import { expect, test } from 'vitest';
import { KeptDice } from './keptDice.svelte';

const [ANA, BENTO] = [0, 1];

test('a hand that was rolled before is known, a larger one is not', () => {
  const kept = new KeptDice();
  expect(kept.knows(2)).toBe(false);
  kept.keep(ANA, 4, 4);
  expect([2, 4, 5].map((hand) => kept.knows(hand))).toEqual([true, true, false]);
});

test('a hand that was cut is cut again, and not rolled whole', () => {
  const kept = new KeptDice();
  kept.keep(ANA, 6, 6);
  kept.keep(ANA, 3, 7);
  expect([2, 3, 7].map((hand) => kept.usual(ANA, hand))).toEqual([2, 3, 3]);
  expect([3, 4].map((hand) => kept.knows(hand))).toEqual([true, false]);
  kept.keep(ANA, 5, 5); // more again: the limit grows
  expect(kept.usual(ANA, 7)).toBe(5);
});

test('each seat at this device has a limit of its own', () => {
  const kept = new KeptDice();
  kept.keep(ANA, 2, 5);
  expect([ANA, BENTO].map((seat) => kept.usual(seat, 5))).toEqual([2, 5]);
});
