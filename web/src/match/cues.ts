/**
 * An animation is a list of cues, each with its duration and the view that is shown when it has ended. A game's `plan`
 * makes them from the current view and one step (see games/); the stage plays them one after the other.
 */
import type { Fact, Step } from './facts';
import type { Sound } from '../ui/sound';
import type { Key } from '../texts/keys';
import type { NewLine } from './stage.svelte';

/** Milliseconds at normal speed, as in app.css. */
export const TIME = { quick: 120, step: 180, flight: 420, tumble: 720, win: 1600 } as const;

/** The text of a staged moment, shown over the dice while its cue plays: "X! Down 1". */
export interface Word {
  /** The key of its text, and the values for it. */
  key: Key;
  args?: Record<string, unknown>;
  tone: 'bad' | 'good';
}

/** What all cues have; each game adds its kinds. */
export interface Cue<V = unknown> {
  kind: string;
  /** The seat it is about. */
  seat: number;
  /** At normal speed. */
  ms: number;
  /** The duration for players whom it does not concern: it is about another seat and harms none of theirs. */
  brief?: number;
  /** What is shown when it has ended. */
  view: V;
  /** The facts that are added to the log when it has ended. */
  facts: Fact[];
  sounds: { at: number; sound: Sound }[];
  /**
   * Makes it a staged moment: a word over the dice, and vibration. If it concerns this device, it is never shortened.
   */
  word?: Word;
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
  /** Joins two successive lines of the log; null keeps both. */
  join?(before: NewLine, next: NewLine): NewLine | null;
  /** Whether a fact was done to this seat by another: thrown out, covered. */
  harms?(fact: Fact, seat: number): boolean;
}

export type Options = Readonly<Record<string, boolean | number | string>>;
