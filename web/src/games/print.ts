/** What of a game can be printed: `print.ts` in its folder exports it. */
import type { Texts } from '../texts/texts.svelte';

/** Lengths in pictures to print: the number of units in a millimetre. */
export const UNITS = 4;

export interface Sheet {
  /** The key of its title. */
  title: string;
  /** The picture in a box of the given size, in units; `id` keeps the pictures of one page apart. */
  picture(w: number, h: number, id: string, texts: Texts): string;
}

export interface CutOut {
  /** In a box of 100. */
  picture: string;
  /** Its edge in millimetres. */
  size: number;
  /** The key of what it is, where there are several kinds. */
  title?: string;
}

export interface GamePrint {
  /** The boards with these options, one a page; null if no board can be drawn with them. */
  sheets(options: Record<string, string>): Sheet[] | null;
  /** The number of lines of a player aid: the texts `web.print.aid.GAME.1` and so on. */
  aid: number;
  cutOuts: CutOut[];
  /** An option with a few values to choose from; the first is the default. */
  choice?: { option: string; values: string[] };
}
