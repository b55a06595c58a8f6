/**
 * The time that others take between two decisions of this device. Each of their turns gets an equal part of what is
 * left; what a short turn does not use is there for the next. Times are milliseconds.
 */

/**
 * What others may take of the six seconds from one's last tap to one's next decision, at normal speed; the rest is for
 * the end of one's own turn and for the network.
 */
export const ROUND = 4600;

/** No cue is shortened to less than this share. */
const SHORTEST = 0.2;
/** Waiting for a turn counts up to this time, the usual pace of three bots: a person may think for long. */
const WAIT_MOST = 600;

export class Round {
  private spent = 0;
  /** Since when time is not yet counted; null while nothing is shown. */
  private since: number | null = null;
  private rested: number | null = null;
  private seat: number | null = null;
  /** What may have been spent when the turn ends. */
  private end = 0;
  /** The work of the turn so far, and of a usual turn: its length if nothing were shortened. */
  private worked = 0;
  private usual = 0;

  /** This device acts. */
  begin(): void {
    this.spent = 0;
    this.since = performance.now();
    this.rested = null;
    this.seat = null;
  }

  /** Nothing more is to be shown for now. */
  rest(): void {
    this.count();
    this.since = null;
    this.rested ??= performance.now();
  }

  /** Something is to be shown again. */
  resume(): void {
    if (this.rested !== null) this.spent += Math.min(WAIT_MOST, performance.now() - this.rested);
    this.rested = null;
    this.since ??= performance.now();
  }

  /**
   * A turn of another seat begins, unless it is the same as before.
   * @param kept of the round's time, what cannot be shortened
   * @param turns how many turns are left in this round, with this one
   */
  enter(seat: number, time: number, kept: number, turns: number): void {
    if (seat === this.seat) return;
    this.count();
    if (this.worked) this.usual = this.usual ? (2 * this.usual + this.worked) / 3 : this.worked;
    this.seat = seat;
    this.worked = 0;
    this.end = this.spent + Math.max(0, time - this.spent - kept) / turns;
  }

  /** The part of its time that a cue gets; `work` is the known length of the rest of the turn, with this cue. */
  share(ms: number, work: number): number {
    this.count();
    const expected = Math.max(work, this.usual - this.worked);
    this.worked += ms;
    const left = this.end - this.spent;
    return expected <= left ? 1 : Math.max(SHORTEST, left / expected);
  }

  /** All time counts, also what a slow device takes between two cues. */
  private count(): void {
    if (this.since === null) return;
    const now = performance.now();
    this.spent += now - this.since;
    this.since = now;
  }
}

/** How many turns a list of acting seats has: the same seat several times in a row is one turn. */
export const turnsOf = (seats: (number | null)[]): number =>
  seats.filter((seat, i) => seat !== null && seat !== seats[i - 1]).length;
