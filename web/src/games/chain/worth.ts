/** What a choice is worth, where a coach says it. */
export interface Worth {
  /** The probability to win after it; null if it is not known. */
  share: number | null;
  best: boolean;
  /** For the eye, and for screen readers after the name of the choice; empty if it is not known. */
  short: string;
  long: string;
}
