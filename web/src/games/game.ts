/** The parts of a game's client: what `index.ts` and `study.ts` in its folder export. */
import type { Component } from 'svelte';
import type { Cue, Options, Script } from '../match/cues';
import type { IconName } from '../draw/icons';
import type { Fact, Preview } from '../match/facts';
import type { EntryDie } from '../match/entry';
import type { Match } from '../match/match.svelte';
import type { PositionSeen, SeatName, SeatView } from '../protocol';
import type { Tally } from '../replay/tally';
import type { Key } from '../texts/keys';
import type { Texts } from '../texts/texts.svelte';

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
  /** The seats of this device; a board that cannot show everything shows their pieces. */
  mine?: readonly number[];
  /** What others did while the player waited: the board shows it until the first action. */
  traces?: readonly Fact[];
  onlook?: (action: string | null) => void;
  onpick?: (action: string) => void;
  /** Called on taps on spaces, for setting up a position; never by a board without spaces. */
  onspace?: (space: number) => void;
}

/** The dock has the dice and the choices of the turn. */
export interface DockProps<V = unknown, C extends Cue = Cue> {
  /** What a dock knows of the match; in a replay there is none, and nothing may be done. */
  match: Pick<Match, 'seats' | 'names' | 'you' | 'options' | 'legal' | 'previews' | 'myTurn' | 'hotSeat' | 'act'> & {
    /** Series of decisions that are one choice. There are none in a lesson, which asks for one decision at a time. */
    sequences?: Match['sequences'];
    /** Whether the player rolls real dice. */
    realDice?: boolean;
    /** Acts without a tap; not in a lesson. */
    actOnce?: Match['actOnce'];
    /** False if nothing is chosen until the player chooses, as in a lesson. */
    preselect?: boolean;
  };
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

export interface GameParts<V = unknown, C extends Cue<V> = Cue<V>> {
  script: Script<V, C>;
  Board: Component<BoardProps<V, C>>;
  Dock: Component<DockProps<V, C>, Record<string, unknown> & DockExports, 'pick'>;
  Hand: Component<HandProps<V>>;
  /**
   * What of a view lies on the board and what in the hand (null: nothing), to find which pictures differ; and whether
   * dice were rolled.
   */
  split(view: V): { board: unknown; hand: unknown; rolled: boolean };
  /** Whose turn is shown. */
  turn(view: V): number;
  /** What a seat has reached: the number for the eye, perhaps with an icon, and the words for the ear. */
  score(view: V, seat: number, texts: Texts): { text: string; label: string; icon?: IconName };
  /** The whole position in words, as the picture's description. */
  describe(view: V, seats: Pick<SeatView, 'name' | 'colours'>[], options: Options, texts: Texts): string;
  /** What is shown to the seat to act and asked of it, where the words of its phase are not enough. */
  prompt?(view: V, previews: Record<string, Preview>, texts: Texts): string;
  /** The keys of the dock, for the help: key and what it does. */
  keys: [string, Key][];
  /**
   * Widths of the dock's column on a desk (`panel`) and where the players stand in a row (`narrow`), if the usual ones
   * do not do.
   */
  layout?: { panel?: string; narrow?: string };
  /** The statistics of a match; a game may have none. */
  tally?: Tally;
  /** How real dice are entered; without it, one die for each roll. */
  enter?: DiceEntryParts<V>;
  /** The dice of the game. Without them a proof is checked by `escadaria verify` only. */
  dice?: GameDice;
}

/** How the real dice of a game are entered. */
export interface DiceEntryParts<V = unknown> {
  /** The dice of the rolls that are due, in the order in which they are entered. */
  dice(rolls: string[][], view: V): EntryDie[];
  /** The rolls that these faces make, one for each die. */
  rolls(faces: string[]): string[];
  /** Whether the dice differ, so that each has its own row of faces. */
  apart: boolean;
  /** Whether other dice lie in the hand, which are shown beside those to enter. */
  lying?(view: V): boolean;
  /** Which of the seat's colours its dice have; without it, the first. */
  colour?(view: V): number;
}

/** The dice of a game, for the proof of a match and for charts. */
export interface GameDice {
  /** The number of outcomes of a roll. */
  outcomes: number;
  /** An outcome, from 0, as a record writes it. */
  roll(outcome: number): string;
  /** Whether an action of a record is a roll. */
  isRoll(action: string): boolean;
  /** The marks on a face, as SVG in the box 0..100. */
  face(face: string): string;
}

/** What sets up a position part by part. */
export interface EditorProps {
  position: unknown;
  options: Options;
  seats: SeatName[];
  /** Whether only starts of turns are set up. */
  starts?: boolean;
  /** The space of the board from where something was taken up. */
  held?: number | null;
  /** Called with the text of the position that results from an edit. */
  onchange: (text: string) => void;
}

export interface EditorExports {
  /** A tap on a space of the board. */
  tap?(space: number): void;
}

/** The best answer to every roll at the start of a turn. */
export interface RollsProps {
  seen: PositionSeen;
  options: Options;
  seats: SeatName[];
}

/** The parts that only the position editor and the strategy page need. */
export interface Study {
  Editor: Component<EditorProps, EditorExports, 'held'>;
  Rolls: Component<RollsProps>;
}

/** What edits an option that takes a text of one's own, such as a board. */
export interface OptionEditorProps {
  value: string;
  /** Called with a text that the server accepts. */
  onchange: (text: string) => void;
}

/** `options.ts` of a game, by the name of the option. */
export type OptionEditors = Record<string, Component<OptionEditorProps>>;
