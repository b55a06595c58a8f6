/**
 * The seal of the dice as this device first saw it, and its own random digits: kept, so that a reload cannot exchange
 * them.
 */
import { recall, remember, remembered } from '../storage';

/** What this device saw of the seal before the match was over. */
export interface Pin {
  commitment: string;
  /** Plies that had been played when it was first seen. */
  plies: number;
  /**
   * All random digits that this device sent for its seats; those of one seat are enough to make dice nobody could
   * choose.
   */
  digits: string[];
}

const MOST = 60;

export const pinOf = (match: string): Pin | null => recall<(Pin & { seen: number }) | null>(`seal.${match}`, null);

/** Keep the seal the first time it is seen, and never another one. */
export function pinSeal(match: string, commitment: string, plies: number): void {
  const before = pinOf(match);
  if (!before?.commitment) keep(match, { digits: [], ...before, commitment, plies });
}

/** Keep the digits that this device sends for its seats; without any, forget them: it has no seat any more. */
export function pinDigits(match: string, digits: string[]): void {
  const before = pinOf(match) ?? { commitment: '', plies: 0, digits: [] };
  const all = digits.length ? [...before.digits, ...digits.filter(Boolean)] : [];
  if (all.length !== before.digits.length) keep(match, { ...before, digits: all });
}

function keep(match: string, pin: Pin): void {
  remember(`seal.${match}`, { ...pin, seen: Date.now() });
  const all = remembered('seal.').map((id) => ({
    id,
    seen: recall<{ seen?: number } | null>(`seal.${id}`, null)?.seen ?? 0,
  }));
  for (const { id } of all.toSorted((a, b) => b.seen - a.seen).slice(MOST)) remember(`seal.${id}`, undefined);
}
