/** The statistics of a match: what each game counts, and what counts its facts. */
import type { Fact } from '../match/facts';
import type { Turn } from './replay';

/** A line of the statistics: a number for each seat. */
export interface Stat {
  /** The text is `web.stats.GAME.key`. */
  key: string;
  values: number[];
  /** Digits after the point. */
  digits?: number;
  /** Which end is the better one, where there is one. */
  best?: 'high' | 'low';
}

/** One kind of die, and how often it should show each face: all alike. */
export interface DieTally {
  /** The text is `web.stats.GAME.die.key`. */
  key: string;
  faces: string[];
  /** What fell, by face. */
  counts: number[];
}

/** What a game knows about its own numbers; see `stats.ts` in its folder. */
export interface Tally {
  stats(facts: Fact[], seats: number, turns: Turn[]): Stat[];
  /** The faces that fell, by kind of die; of one seat if it is given. */
  dice(facts: Fact[], seat: number | null): DieTally[];
}

export const count = (
  facts: Fact[],
  seats: number,
  is: (fact: Fact) => boolean,
  by: (fact: Fact) => number = () => 1,
  of: (fact: Fact) => number = (fact) => fact.seat,
): number[] => {
  const sums = Array.from({ length: seats }, () => 0);
  for (const fact of facts) if (is(fact)) sums[of(fact)] = (sums[of(fact)] ?? 0) + by(fact);
  return sums;
};

/** Where there is nothing to divide by, there is no number. */
export const ratio = (a: number[], b: number[]): number[] => a.map((value, i) => (b[i] ? value / b[i] : NaN));

/** Whose value is the best, if that is worth a mark: not all are alike. */
export function bestOf({ values, best }: Stat): number[] {
  if (!best) return [];
  const known = values.filter((value) => !Number.isNaN(value));
  const top = best === 'high' ? Math.max(...known) : Math.min(...known);
  const who = values.flatMap((value, i) => (value === top ? [i] : []));
  return who.length === known.length ? [] : who;
}

// What the games count with.

export const kind =
  (...kinds: string[]) =>
  (fact: Fact): boolean =>
    kinds.includes(fact.kind);
export const field = (name: string) => (fact: Fact) => Number(fact[name]);
export const victim = field('victim');
export const counts = (faces: string[], fallen: string[]) =>
  faces.map((face) => fallen.filter((other) => other === face).length);
export const turnsBy = (turns: { seat: number }[], seats: number) =>
  Array.from({ length: seats }, (_, seat) => turns.filter((turn) => turn.seat === seat).length);
