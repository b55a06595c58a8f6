import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Round } from './round';

describe('a round', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('counts what a slow device takes between two cues', () => {
    const round = new Round();
    round.begin();
    round.enter(1, 5000, 0, 2);
    expect(round.share(1000, 1000)).toBe(1);
    vi.advanceTimersByTime(2000); // 1000 of the cue, and 1000 more
    expect(round.share(1000, 1000)).toBe(0.5);
  });
  it('counts waiting for others up to the pace of bots', () => {
    const round = new Round();
    round.begin();
    round.rest();
    vi.advanceTimersByTime(60_000);
    round.resume();
    round.enter(1, 2600, 0, 1);
    expect(round.share(4000, 4000)).toBe(0.5);
  });
});
