import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Script } from './cues';
import type { Fact, Step } from './facts';
import { Stage } from './stage.svelte';

/** A game that counts: each step adds its action, by a cue of 100 ms. */
const counting: Script = {
  view: (position) => position,
  plan: (view, next) => {
    const after = (view as number) + Number(next.action);
    return {
      cues: [{ kind: 'add', seat: 0, ms: 100, view: after, facts: next.facts, sounds: [] }],
      view: next.position,
    };
  },
};
const said: Fact = { kind: 'added', ruling: 'T1', seat: 1 };
const step = (by: number, position: number): Step => ({ action: String(by), facts: [said], position });
const options = (speed = 1, still = false) => ({
  script: counting,
  options: {},
  speed: () => speed,
  still: () => still,
  sound: () => {},
});
const stage = (speed = 1, still = false) => new Stage(options(speed, still));

/** The same with a word, for a second; what seat 0 does harms seat 1. */
const staged = (tone: 'good' | 'bad'): Script => ({
  ...counting,
  plan: (view, next, on) => {
    const plan = counting.plan(view, next, on);
    const sounds = [{ at: 0, sound: { name: 'miss' as const } }];
    return {
      ...plan,
      cues: plan.cues.map((cue) => ({ ...cue, ms: 1000, sounds, word: { key: 'web.loading', tone } })),
    };
  },
  harms: (_, seat) => seat === 1,
});

/** The same, for a second and a half. */
const long: Script = {
  ...counting,
  plan: (view, next, on) => {
    const plan = counting.plan(view, next, on);
    return { ...plan, cues: plan.cues.map((cue) => ({ ...cue, ms: 1500 })) };
  },
};

describe('the stage', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows one cue after the other and logs each fact when its cue has ended', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1), step(2, 3)] });
    expect([s.busy, s.view, s.cue?.ms]).toEqual([true, 0, 100]);
    await vi.advanceTimersByTimeAsync(100);
    expect([s.view, s.log.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(100);
    expect([s.busy, s.view, s.cue, s.latest.length]).toEqual([false, 3, null, 2]);
  });
  it('joins lines of the log, and describes of each scene only what is new', async () => {
    const joining: Script = {
      ...counting,
      join: (before, { seat }) => ({ seat, key: 'sum', args: { n: (before.key ? Number(before.args?.n) : 1) + 1 } }),
    };
    const s = new Stage({ script: joining, options: {}, speed: () => 0, still: () => false, sound: () => {} });
    s.reset(0, []);
    s.push({ steps: [step(1, 1), step(1, 2)] });
    await vi.advanceTimersByTimeAsync(0);
    expect([s.log.map(({ args }) => args?.n), s.latest.map(({ args }) => args?.n)]).toEqual([[2], [2]]);
    s.push({ steps: [step(1, 3)] });
    await vi.advanceTimersByTimeAsync(0);
    expect(s.log.map(({ args }) => args?.n)).toEqual([3]);
    expect(s.latest.map(({ fact }) => fact?.kind)).toEqual(['added']);
  });
  it('ends a cue at once when it is skipped', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1)] });
    s.skip();
    await vi.advanceTimersByTimeAsync(0);
    expect([s.busy, s.view]).toEqual([false, 1]);
  });
  it('plays a cue in full for those whom it concerns, and briefly for others', () => {
    const brief: Script = {
      ...counting,
      plan: (view, added, on) => {
        const { cues, view: after } = counting.plan(view, added, on);
        return { cues: cues.map((cue) => ({ ...cue, brief: 40 })), view: after };
      },
      harms: (fact, seat) => fact.kind === 'added' && seat === 2,
    };
    const lasts = (mine?: number[]) => {
      const on = { script: brief, options: {}, speed: () => 1, still: () => false, sound: () => {} };
      const s = new Stage(mine ? { ...on, mine: () => mine } : on);
      s.reset(0, []);
      s.push({ steps: [step(1, 1)] });
      return s.cue?.ms;
    };
    expect([lasts([0]), lasts([2]), lasts()]).toEqual([100, 100, 100]);
    expect([lasts([1]), lasts([])]).toEqual([40, 40]);
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
  it('hurries when much is waiting', async () => {
    const s = stage();
    s.reset(0, []);
    for (let i = 0; i < 5; i++) s.push({ steps: [step(1, i)] });
    await vi.advanceTimersByTimeAsync(100);
    expect(s.cue?.ms).toBe(50);
    for (let i = 0; i < 9; i++) s.push({ steps: [step(1, 20 + i)] });
    await vi.advanceTimersByTimeAsync(50);
    expect([s.cue?.ms, s.log.length]).toEqual([50, 7]);
  });
  it('keeps words as long as ever where nothing may fly', () => {
    const s = new Stage({ ...options(1, true), script: staged('bad') });
    s.reset(0, []);
    s.push({ steps: [step(1, 1)] });
    expect(s.cue?.ms).toBe(1000);
  });
  it('sets the factor of the style sheets to that of the cue, and back', async () => {
    const tempo = vi.fn<(factor: number) => void>();
    const s = new Stage({ ...options(2), tempo });
    s.reset(0, []);
    for (let i = 0; i < 5; i++) s.push({ steps: [step(1, i)] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(tempo.mock.calls.map(([factor]) => factor)).toEqual([2, 2, 1, 2, 2, 2, 2]);
  });
  it('shows everything at once until this device is to act', async () => {
    let ahead = [1];
    const s = new Stage({ ...options(), mine: () => [0], ahead: () => ahead });
    s.reset(0, []);
    s.push({ seat: 1, steps: [step(1, 1)] });
    s.skipAll();
    await vi.advanceTimersByTimeAsync(0);
    expect([s.view, s.rushing]).toEqual([1, true]);
    ahead = [];
    s.push({ seat: 1, steps: [step(1, 2), step(1, 3)] });
    await vi.advanceTimersByTimeAsync(0);
    expect([s.view, s.rushing, s.log.length]).toEqual([3, false, 3]);
    s.push({ seat: 0, steps: [step(1, 4)] });
    expect(s.cue?.ms).toBe(100);
  });
  it('shows again what others did since this device last acted, and logs nothing twice', async () => {
    const s = new Stage({ ...options(), mine: () => [0], ahead: () => [] });
    s.reset(0, []);
    for (const [seat, by, position] of [
      [1, 1, 1],
      [0, 1, 2],
      [1, 3, 5],
      [2, 4, 9],
    ] as const)
      s.push({ seat, steps: [step(by, position)] });
    expect(s.canShowAgain).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    const { latest } = s;
    expect([s.view, s.log.length, s.canShowAgain]).toEqual([9, 4, true]);
    s.showAgain();
    expect([s.busy, s.again, s.view, s.cue?.view]).toEqual([true, true, 2, 5]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([s.busy, s.again, s.view, s.log.length, s.canShowAgain]).toEqual([false, false, 9, 4, true]);
    expect(s.latest).toBe(latest);
    s.push({ seat: 0, steps: [step(1, 10)] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(s.canShowAgain).toBe(false);
  });
  it('shows an undo at once, and what was undone only in the log', async () => {
    const s = stage();
    s.reset(0, []);
    s.push({ steps: [step(1, 1)] });
    s.push({ steps: [step(1, 2)] });
    s.push({ steps: [], position: 0 });
    await vi.advanceTimersByTimeAsync(0);
    expect([s.view, s.busy, s.log.length]).toEqual([0, false, 2]);
  });
});

describe('vibration', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const buzzes = (tone: 'good' | 'bad', mine: number[], speed = 1) => {
    const vibrate = vi.fn<(pattern: number[]) => void>();
    const s = new Stage({ ...options(speed), script: staged(tone), vibrate, mine: () => mine });
    s.reset(0, []);
    s.push({ seat: 0, steps: [step(1, 1)] });
    return vibrate.mock.calls.length;
  };
  it.each([
    ['bad', [], 1],
    ['bad', [2], 1],
    ['good', [0], 1], // mine
    ['good', [1], 1], // done to me
    ['good', [2], 0],
  ] as const)('a %s word for seats %j: %i', (tone, mine, times) => expect(buzzes(tone, [...mine])).toBe(times));
  it('is off with animation', () => expect(buzzes('bad', [0], 0)).toBe(0));
});

describe('a round', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** One seat of six; each of the others acts `scenes` times, for 1.5 seconds each, `pace` after the one before. */
  async function round(pace: number, scenes: number, script = long) {
    let ahead = [1, 2, 3, 4, 5];
    const s = new Stage({ ...options(), script, mine: () => [0], ahead: () => ahead });
    const shortest: number[] = [];
    s.reset(0, []);
    const began = performance.now();
    s.push({ seat: 0, steps: [step(1, 1)] });
    for (const seat of ahead) {
      await vi.advanceTimersByTimeAsync(pace);
      ahead = ahead.slice(1);
      for (let i = 0; i < scenes; i++) s.push({ seat, steps: [step(1, 1)] });
      shortest.push(s.cue?.ms ?? 0);
    }
    while (s.busy) {
      await vi.advanceTimersByTimeAsync(10);
      if (s.cue) shortest.push(s.cue.ms);
    }
    return { seconds: (performance.now() - began) / 1000, least: Math.min(...shortest) };
  }
  it.each([
    [0, 1],
    [0, 3],
    [900, 1],
    [900, 3],
  ])('takes at most six seconds: bots wait %i ms and act %i times', async (pace, scenes) => {
    const { seconds, least } = await round(pace, scenes);
    expect(seconds).toBeLessThanOrEqual(6);
    expect(seconds).toBeGreaterThan(4.5);
    expect(least).toBeGreaterThan(150);
  });
  it('keeps what was done to this device at its full length', async () => {
    const s = new Stage({
      ...options(),
      script: { ...staged('bad'), harms: () => true },
      mine: () => [0],
      ahead: () => [2, 3, 4, 5],
    });
    s.reset(0, []);
    for (let i = 0; i < 4; i++) s.push({ seat: 1, steps: [step(1, 1)] });
    for (let i = 0; i < 4; i++) {
      expect(s.cue?.ms).toBe(1000);
      await vi.advanceTimersByTimeAsync(1000);
    }
  });
  it('is not short of time because a person thinks', async () => {
    const s = new Stage({ ...options(), script: long, mine: () => [0], ahead: () => [2] });
    s.reset(0, []);
    s.push({ seat: 0, steps: [step(1, 1)] });
    await vi.advanceTimersByTimeAsync(600_000);
    s.push({ seat: 1, steps: [step(1, 1)] });
    expect(s.cue?.ms).toBeGreaterThan(1200);
  });
  it('shortens nothing of what this device does', async () => {
    const s = new Stage({ ...options(), script: long, mine: () => [0], ahead: () => [] });
    s.reset(0, []);
    for (let i = 0; i < 9; i++) s.push({ seat: 0, steps: [step(1, 1)] });
    await vi.advanceTimersByTimeAsync(8 * 1500);
    expect(s.cue?.ms).toBe(1500);
  });
});

describe('a script that fails', () => {
  let reported: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    vi.useFakeTimers();
    reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    reported.mockRestore();
    vi.useRealTimers();
  });
  const broken = (part: Partial<Script>): Script => ({ ...counting, ...part });
  const fail = () => {
    throw new Error('broken');
  };

  it('in a plan: the position is shown as it is, the log has the facts, and the next step moves', async () => {
    const plan: Script['plan'] = (view, next, on) => (next.action === '9' ? fail() : counting.plan(view, next, on));
    const s = new Stage({ ...options(), script: broken({ plan }) });
    s.reset(0, []);
    s.push({ steps: [step(9, 5), step(1, 6)] });
    s.push({ steps: [step(9, 7)] });
    await vi.advanceTimersByTimeAsync(0);
    expect([s.view, s.busy, s.cue?.ms]).toEqual([5, true, 100]);
    await vi.advanceTimersByTimeAsync(100);
    expect([s.view, s.busy, s.cue, s.log.length]).toEqual([7, false, null, 3]);
    expect(reported).toHaveBeenCalledTimes(1);
  });
  it.each([
    ['plan and view', { plan: fail, view: fail }],
    ['join', { join: fail }],
    ['harms', { plan: staged('bad').plan, harms: fail }],
  ])('in %s: nothing stays busy', async (_, part) => {
    const s = new Stage({ ...options(), script: broken(part), mine: () => [2], ahead: () => [1] });
    s.reset(0, []);
    s.push({ seat: 1, steps: [step(1, 1), step(1, 2)] });
    s.push({ seat: 1, steps: [step(1, 3)] });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([s.busy, s.cue]).toEqual([false, null]);
    s.push({ seat: 1, steps: [step(1, 4)] });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(s.busy).toBe(false);
    expect(reported).toHaveBeenCalledTimes(1);
  });
  it('in a sound or a vibration: the cue is shown all the same', async () => {
    const s = new Stage({ ...options(), script: staged('bad'), sound: fail, vibrate: fail });
    s.reset(0, []);
    s.push({ steps: [step(1, 1)] });
    expect(s.cue?.kind).toBe('add');
    await vi.advanceTimersByTimeAsync(1000);
    expect([s.view, s.busy]).toEqual([1, false]);
  });
});
