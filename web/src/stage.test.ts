import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Script } from './anim';
import type { Fact, Step } from './facts';
import { Stage } from './stage.svelte';

/** A game that counts: each step adds its action, by a cue of 100 ms. */
const counting: Script = {
  view: (position) => position,
  plan: (view, step) => {
    const after = (view as number) + Number(step.action);
    return { cues: [{ kind: 'add', seat: 0, ms: 100, view: after, facts: step.facts, sounds: [] }], view: step.position };
  },
};
const said: Fact = { kind: 'added', ruling: 'T1', seat: 1 };
const step = (by: number, position: number): Step => ({ action: String(by), facts: [said], position });
const stage = (speed = 1, still = false) =>
  new Stage({ script: counting, options: {}, speed: () => speed, still: () => still, sound: () => {} });

describe('the stage', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows one cue after the other and tells each fact when its cue has ended', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1), step(2, 3)] });
    expect([s.busy, s.view, s.cue?.ms]).toEqual([true, 0, 100]);
    await vi.advanceTimersByTimeAsync(100);
    expect([s.view, s.log.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(100);
    expect([s.busy, s.view, s.cue, s.told.length]).toEqual([false, 3, null, 2]);
  });
  it('joins lines of the log, and tells of each scene only what is new', async () => {
    const joining: Script = { ...counting, join: (before, { seat }) => ({ seat, key: 'sum', args: { n: (before.key ? Number(before.args?.n) : 1) + 1 } }) };
    const s = new Stage({ script: joining, options: {}, speed: () => 0, still: () => false, sound: () => {} });
    s.reset(0, []);
    s.push({ steps: [step(1, 1), step(1, 2)] });
    await vi.advanceTimersByTimeAsync(0);
    expect([s.log.map(({ args }) => args?.n), s.told.map(({ args }) => args?.n)]).toEqual([[2], [2]]);
    s.push({ steps: [step(1, 3)] });
    await vi.advanceTimersByTimeAsync(0);
    expect(s.log.map(({ args }) => args?.n)).toEqual([3]);
    expect(s.told.map(({ fact }) => fact?.kind)).toEqual(['added']);
  });
  it('ends a cue at once when it is skipped', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1)] });
    s.skip();
    await vi.advanceTimersByTimeAsync(0);
    expect([s.busy, s.view]).toEqual([false, 1]);
  });
  it('does not wait at speed 0, and only for a fade where nothing may fly', async () => {
    const quick = stage(0);
    quick.reset(0, []);
    quick.push({ steps: [step(1, 1), step(1, 2)] });
    await vi.advanceTimersByTimeAsync(0);
    expect(quick.view).toBe(2);
    const still = stage(2, true);
    still.reset(0, []);
    still.push({ steps: [step(1, 1)] });
    expect(still.cue?.ms).toBe(100);
  });
  it('forgets what was to be shown when a position is set', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1), step(1, 2)] });
    s.reset(9, []);
    await vi.advanceTimersByTimeAsync(500);
    expect([s.busy, s.view]).toEqual([false, 9]);
  });
  it('hurries when much is waiting', () => {
    const s = stage();
    s.reset(0, []);
    for (let i = 0; i < 5; i++) s.push({ steps: [step(1, i)] });
    expect(s.factor).toBe(0.5);
    for (let i = 0; i < 5; i++) s.push({ steps: [step(1, i)] });
    expect(s.factor).toBe(0);
  });
});
