/** "While you waited": what was done to a player since their last decision, and what else happened then. */
import type { Fact } from './facts';
import type { LogLine } from './stage.svelte';

export interface Recap {
  /** What others did to the player, the oldest first. */
  harms: LogLine[];
  /** The newest of the other lines, the oldest first. */
  others: LogLine[];
  /** The number of turns of others. */
  turns: number;
}

const LINES_MOST = 3;

/** Whether a fact was done to a seat by another, for games that do not say it. */
const isVictim = (fact: Fact, seat: number): boolean => fact.seat !== seat && fact.victim === seat;

/**
 * The recap for a seat: `log` has the newest line first, `since` is the newest line when the seat last decided. Null
 * if
 * nobody has done anything to the seat.
 */
export function recapOf(
  log: LogLine[],
  since: number,
  seat: number,
  harms: (fact: Fact, seat: number) => boolean = isVictim,
): Recap | null {
  const lines = log.filter((line) => line.id > since && line.fact).toReversed();
  const isHarm = ({ fact }: LogLine): boolean => fact !== undefined && harms(fact, seat);
  const done = lines.filter(isHarm).slice(-LINES_MOST);
  if (!done.length) return null;
  const theirs = lines.filter((line) => line.seat !== seat);
  const room = LINES_MOST - done.length;
  const last = theirs.filter((line, i) => !isHarm(line) && line.seat !== theirs[i + 1]?.seat);
  return {
    harms: done,
    others: room ? last.slice(-room) : [],
    turns: theirs.filter((line, i) => line.seat !== theirs[i - 1]?.seat).length,
  };
}

/** What others did since a seat's last decision, the oldest first: the board keeps it in view until the seat acts. */
export const tracesOf = (log: LogLine[], since: number, seat: number): Fact[] =>
  log.flatMap(({ id, fact }) => (fact && id > since && fact.seat !== seat ? [fact] : [])).toReversed();
