/**
 * What an animation is: cues, each with its time and what is shown once it has ended. A game's `plan` makes them from
 * what is shown and one step (see boards/); the stage plays them one after the other.
 */
import type { Fact, Step } from './facts';
import type { Sound } from './sound';
import type { NewLine } from './stage.svelte';

/** Milliseconds at normal speed, as in app.css. */
export const TIME = { quick: 120, step: 180, flight: 420, tumble: 720, win: 1600 } as const;

/** What all cues have; each game adds its kinds. */
export interface Cue<V = unknown> {
  kind: string;
  /** The seat it is about. */
  seat: number;
  /** At normal speed. */
  ms: number;
  /** What is shown when it has ended. */
  view: V;
  /** What is told when it has ended. */
  facts: Fact[];
  sounds: { at: number; sound: Sound }[];
}

export interface Plan<V = unknown, C extends Cue<V> = Cue<V>> {
  cues: C[];
  /** What is shown after the step. */
  view: V;
}

/** The part of a game that the stage needs: pure functions, without pictures. */
export interface Script<V = unknown, C extends Cue<V> = Cue<V>> {
  /** What to show of a position; `turn` has the facts since the turn started. */
  view(position: unknown, turn: Fact[], options: Options): V;
  plan(view: V, step: Step, options: Options): Plan<V, C>;
  /** Two lines of the log, one after the other, told as one; null keeps both. */
  join?(before: NewLine, next: NewLine): NewLine | null;
}

export type Options = Readonly<Record<string, boolean | number | string>>;
