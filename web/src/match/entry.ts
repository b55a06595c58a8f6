/** Real dice that are entered by hand: which dice there are, and which die shows what was typed. */
import { DIE_PIPS, type Marks } from '../draw/dice';
import type { GameParts } from '../games/game';
import type { Texts } from '../texts/texts.svelte';

/** A die to enter. */
export interface EntryDie {
  faces: string[];
  marks: Marks;
  /** Whether it has the colour of its player; others are black. */
  own: boolean;
  /** What distinguishes it from the others, where the dice differ. */
  name?: (texts: Texts) => string;
}

/** The dice of the rolls that are due, in the order in which they are entered. */
export function diceOf(parts: Pick<GameParts, 'enter'>, rolls: string[][], view: unknown): EntryDie[] {
  if (parts.enter) return parts.enter.dice(rolls, view);
  return rolls.map((faces) => ({
    faces,
    marks: faces.every((face) => DIE_PIPS.includes(face)) ? 'pool' : 'glyph',
    own: true,
  }));
}

/** What was tapped at a moment of a match, before it was entered. */
export interface Tapped {
  moment: string;
  faces: string[];
}

/** The faces that were tapped before, if it was at this moment and the dice can show them; else none. */
export function kept(dice: EntryDie[], tapped: Tapped | null, moment: string): string[] {
  const fits =
    tapped?.moment === moment &&
    tapped.faces.length === dice.length &&
    tapped.faces.every((face, i) => !face || dice[i]?.faces.includes(face));
  return fits ? tapped.faces : dice.map(() => '');
}

/**
 * One face for each die, empty where there is none yet: in order, or, where the dice are kept `apart`, so that each
 * face finds a die that has it. Null if that cannot be.
 */
export function assigned(dice: EntryDie[], faces: string[], apart: boolean): string[] | null {
  if (faces.length > dice.length) return null;
  if (!apart)
    return faces.every((face, i) => dice[i]?.faces.includes(face)) ? dice.map((_, i) => faces[i] ?? '') : null;
  const [face, ...rest] = faces;
  if (face === undefined) return dice.map(() => '');
  for (const [i, die] of dice.entries()) {
    if (!die.faces.includes(face)) continue;
    const others = assigned(dice.toSpliced(i, 1), rest, true);
    if (others) return others.toSpliced(i, 0, face);
  }
  return null;
}
