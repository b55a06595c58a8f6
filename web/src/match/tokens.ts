/**
 * The matches in which this device has a seat. A token proves it: it is kept here and sent in the first frame of a
 * connection, never in an address.
 */
import { recall, remember, remembered } from '../storage';

export interface KeptSeat {
  token: string;
  game: string;
  /** When it was last used, in milliseconds since 1970. */
  seen: number;
  /** Whether the match is known to be over. */
  over?: boolean;
}

const MOST = 60;

export const seatOf = (match: string): KeptSeat | null => recall<KeptSeat | null>(`seat.${match}`, null);

/** Keep a seat, or what is new about it; without a token nothing is kept for a match that is unknown. */
export function keepSeat(match: string, change: Partial<KeptSeat>): void {
  const seat = { game: '', ...seatOf(match), ...change, seen: Date.now() };
  if (seat.token) remember(`seat.${match}`, seat);
  for (const [old] of keptSeats().slice(MOST)) forgetSeat(old);
}

/** Note something about a seat that is kept, without having used it. */
export function remarkSeat(match: string, change: Partial<KeptSeat>): void {
  const seat = seatOf(match);
  if (seat) remember(`seat.${match}`, { ...seat, ...change });
}

export function forgetSeat(match: string): void {
  remember(`seat.${match}`, undefined);
}

/** All of them, the last used first. */
export function keptSeats(): [string, KeptSeat][] {
  return remembered('seat.')
    .map((match) => [match, seatOf(match)] as const)
    .filter((entry): entry is [string, KeptSeat] => entry[1] !== null)
    .toSorted((a, b) => b[1].seen - a[1].seen);
}

/** A secret text of this device's own: random, fit for the wire. */
export function randomText(bytes = 24): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** This device's part in the dice, in hexadecimal. */
export function randomHex(bytes = 16): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((b) => b.toString(16).padStart(2, '0')).join('');
}
