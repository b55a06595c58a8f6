/**
 * What is seen of a game before it is played. It comes with the first screen, so it needs little; `game.ts` has the
 * rest.
 */
import type { Options } from '../match/cues';
import type { SeatView } from '../protocol';
import type { Texts } from '../texts/texts.svelte';

export interface Cover {
  /** The place of the game among the others. */
  order: number;
  /** The options in a few words, for the bar. */
  summary(options: Options, texts: Texts): string;
  /** How many colours a seat has at a table of this size. */
  colours(players: number): number;
  /** The picture of the home screen; `id` keeps the pictures of one page apart. */
  picture(w: number, h: number, id: string): string;
  /** Three pictures, 128 by 104, that go with the texts `web.home.lesson.GAME.1` to `.3`. */
  lessons(id: string): string[];
  /** A picture of an option's value in a box of 100, where one helps; empty otherwise. */
  optionPicture?(option: string, value: string): string;
  /** How a match stands, in one or two short sentences; `you` is the reader's seat. */
  standing?(
    position: unknown,
    seats: Pick<SeatView, 'name'>[],
    you: number | null,
    options: Options,
    texts: Texts,
  ): string;
  /** An example for each option that takes a text of one's own. */
  examples?: Record<string, string>;
}
