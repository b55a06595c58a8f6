import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Script } from './cues';
import { Stage } from './stage.svelte';

const script: Script = {
  view: (position) => position,
  plan: (_, { position }) => ({
    cues: [{ kind: 'move', seat: 0, ms: 100, view: position, facts: [], sounds: [] }],
    view: position,
  }),
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('goes on when a picture of it throws', async () => {
  const stage = new Stage({ script, options: {}, speed: () => 1, still: () => false, sound: () => {} });
  stage.reset(0, []);
  const drawn: unknown[] = [];
  const stop = $effect.root(() => {
    $effect(() => {
      drawn.push(stage.cue?.view ?? stage.view);
      if (stage.cue?.view === 1) throw new Error('the board is broken');
    });
  });
  flushSync();
  stage.push({ steps: [{ action: '', facts: [], position: 1 }] });
  expect(() => flushSync()).toThrow('the board is broken');
  stage.push({ steps: [{ action: '', facts: [], position: 2 }] });
  await vi.advanceTimersByTimeAsync(300);
  expect([stage.busy, stage.view]).toEqual([false, 2]);
  stop();
});
