import { describe, expect, it } from 'vitest';
import type { Fact } from './facts';
import { recapOf, tracesOf } from './recap';
import type { LogLine } from './stage.svelte';

const line = (id: number, seat: number, kind: string, victim?: number): LogLine => ({
  id,
  seat,
  fact: { kind, seat, ruling: '', ...(victim === undefined ? {} : { victim }) } as unknown as Fact,
});
const ids = (lines: LogLine[] = []) => lines.map(({ id }) => id);

// the newest first: Ana (0) placed, then Bento threw her out, Clara climbed and placed, and Ana's turn starts
const LOG = [
  line(6, 0, 'started'),
  line(5, 2, 'placed'),
  line(4, 2, 'climbed'),
  line(3, 1, 'threw_out', 0),
  line(2, 1, 'placed'),
  line(1, 0, 'placed'),
];

describe('recapOf', () => {
  it('starts with what was done to the seat, then the newest line of each other turn', () => {
    const recap = recapOf(LOG, 1, 0);
    expect(ids(recap?.harms)).toEqual([3]);
    expect(ids(recap?.others)).toEqual([5]);
    expect(recap?.turns).toBe(2);
  });

  it('is null for a seat to which nothing was done', () => {
    expect(recapOf(LOG, 1, 2)).toBeNull();
    expect(recapOf([], 0, 0)).toBeNull();
  });

  it('forgets what happened before the last decision', () => {
    expect(recapOf(LOG, 3, 0)).toBeNull();
  });

  it('does not count what a seat did to itself', () => {
    expect(recapOf([line(2, 0, 'covered', 0)], 0, 0)).toBeNull();
  });

  it('asks the game what harms', () => {
    const recap = recapOf(LOG, 1, 0, (fact) => fact.kind === 'climbed');
    expect(ids(recap?.harms)).toEqual([4]);
  });

  it('has at most three lines', () => {
    const log = [5, 4, 3, 2, 1].map((id) => line(id, id, 'threw_out', 0));
    const recap = recapOf(log, 0, 0);
    expect(ids(recap?.harms)).toEqual([3, 4, 5]);
    expect(recap?.others).toEqual([]);
  });
});

describe('tracesOf', () => {
  it('has what others did since the last decision, the oldest first', () => {
    expect(tracesOf(LOG, 2, 0).map(({ kind }) => kind)).toEqual(['threw_out', 'climbed', 'placed']);
    expect(tracesOf(LOG, 6, 0)).toEqual([]);
  });
});
