/** What a game needs to be played on screen. */
import type { Component } from 'svelte';
import type { Cue, Options, Script } from '../anim';
import type { IconName } from '../draw/icons';
import type { Fact, Preview } from '../facts';
import type { Match } from '../match.svelte';
import type { SeatView } from '../protocol';
import type { Texts } from '../texts.svelte';

/** A board draws a view, and nothing else: at the table, in the rules, in a replay. */
export interface BoardProps<V = unknown, C extends Cue = Cue> {
  view: V;
  /** What moves just now. */
  cue?: C | null;
  seats: Pick<SeatView, 'name' | 'colours'>[];
  options: Options;
  /** What may be done by a tap on the board; nothing unless given. */
  legal?: string[];
  /** The action that is looked at or chosen, and what it would bring. */
  look?: string | null;
  preview?: Preview | null;
  onlook?: (action: string | null) => void;
  onpick?: (action: string) => void;
  /** Told of taps on spaces, for setting up a position; a board without spaces tells nothing. */
  onspace?: (space: number) => void;
}

/** The dock has the dice and the choices of the turn. */
export interface DockProps<V = unknown, C extends Cue = Cue> {
  /** What a dock knows of the match; in a replay there is none, and nothing may be done. */
  match: Pick<Match, 'seats' | 'names' | 'options' | 'legal' | 'previews' | 'myTurn' | 'hotSeat' | 'act'>;
  view: V;
  cue: C | null;
  /** The action that is chosen, not yet done. */
  pick: string | null;
  onlook: (action: string | null) => void;
  /** How often choices win, where somebody wants to know. */
  wins?: Record<string, number>;
}

/** The dice of a view in a small, still picture. */
export interface HandProps<V = unknown> {
  view: V;
  seats: Pick<SeatView, 'name' | 'colours'>[];
  /** What happened on the way to it. */
  facts?: Fact[];
}

/** What a dock does with a key; true if it was meant for it. */
export interface DockExports {
  key(event: KeyboardEvent): boolean;
}

export interface Face<V = unknown, C extends Cue<V> = Cue<V>> {
  script: Script<V, C>;
  Board: Component<BoardProps<V, C>>;
  Dock: Component<DockProps<V, C>, Record<string, unknown> & DockExports, 'pick'>;
  Hand: Component<HandProps<V>>;
  /** What of a view lies on the board and what in the hand (null: nothing), to tell which pictures differ; and whether dice were rolled. */
  parts(view: V): { board: unknown; hand: unknown; rolled: boolean };
  /** Whose turn is shown. */
  turn(view: V): number;
  /** What a seat has reached: the number for the eye, perhaps with an icon, and the words for the ear. */
  score(view: V, seat: number, texts: Texts): { text: string; label: string; icon?: IconName };
  /** The whole position in words, as the picture's description. */
  describe(view: V, seats: Pick<SeatView, 'name' | 'colours'>[], options: Options, texts: Texts): string;
  /** What the seat to act is told and asked, where the words of its phase are not enough. */
  prompt?(view: V, previews: Record<string, Preview>, texts: Texts): string;
  /** The keys of the dock, for the help: key and what it does. */
  keys: [string, string][];
}
