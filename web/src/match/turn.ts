/**
 * What a dock shows besides its game. `PlayArea` provides it to the `TurnDock` inside; without it only the game is
 * shown.
 */
import { getContext, setContext, type Snippet } from 'svelte';

/** A sentence of the log, with the colours of the seat it is about. */
export interface TurnLine {
  id: number;
  colours: string[];
  text: string;
}

export interface Turn {
  /** Whose turn it is. */
  readonly headline: string;
  /** The level of that heading: 2 where the page has another first one. */
  readonly level: 1 | 2;
  /** Nothing can be done, as in a replay: there are no buttons. */
  readonly past: boolean;
  /** The time left, as text; empty without a clock. */
  readonly clock: string;
  /** The newest lines of the log, the newest first. */
  readonly lines: TurnLine[];
  /** The quiet line in the place of the main button while there is nothing to press. */
  readonly waiting: string;
  /** An action of the screen in the place of the main button, such as to go on in a lesson. */
  readonly next: { text: string; act: () => void } | null;
  /** The seats that are played at this device. */
  readonly mine: number[];
  /** Ends the cue that plays now. */
  skip(): void;
  /** What was done to the player while others moved; null once they have decided. */
  readonly recap: { turns: number; harms: TurnLine[]; others: TurnLine[] } | null;
  /** Shows at once what others do until the player is to act; null if there is nothing to skip. */
  readonly skipToMe: (() => void) | null;
  /** Shows again what `recap` says; null if that is not possible. */
  readonly again: (() => void) | null;
  /** Shows the whole log. */
  showLog(): void;
  /** Called by a TurnDock when it is there; a dock without one has the head and the waiting line around it. */
  docked(): void;
  /** Takes back the last decision; null if that is not possible now. */
  readonly undo: (() => void) | null;
  /** Stands in the place of everything that a dock shows, with its sizes: real dice are to be entered. */
  readonly entry?: Snippet | null;
}

const KEY = Symbol('turn');

export const provideTurn = (turn: Turn): Turn => setContext(KEY, turn);

export const turnAround = (): Turn | null => getContext<Turn | undefined>(KEY) ?? null;
