/** A test whose name ends in `.svelte.test.ts` may use runes. */
import { flushSync } from 'svelte';
import { expect, it } from 'vitest';

it('runs effects, as in the browser', () => {
  let number = $state(0);
  const seen: number[] = [];
  const stop = $effect.root(() => {
    $effect(() => {
      seen.push(number);
    });
  });
  flushSync();
  number = 3;
  flushSync();
  stop();
  number = 4;
  flushSync();
  expect(seen).toEqual([0, 3]);
});
