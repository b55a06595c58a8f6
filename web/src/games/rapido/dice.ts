/** The two dice (R2, R9). */
import { glyphs } from '../../draw/glyphs';
import type { GameDice } from '../game';

/** The six faces of each die, as texts. */
export const DIE_A = ['1', '2', '3', '4', '7', 'X'];
export const DIE_B = ['1', '2', '3', '5', '6', 'X'];

export const dice: GameDice = {
  outcomes: 36,
  roll: (outcome) => `${DIE_A[Math.floor(outcome / 6)]}${DIE_B[outcome % 6]}`,
  isRoll: (action) => /^[12347X][12356X]$/.test(action),
  face: (face) => glyphs(face, 50, 51, 52, 'var(--ink)', 15),
};

/** The two faces that make a value: `[die A, die B]`; both are empty without a value. */
export function facesOf(value: number | null): [string, string] {
  if (value === null) return ['', ''];
  const high = String(Math.floor(value / 10) || 'X');
  const low = String(value % 10 || 'X');
  return DIE_A.includes(low) && DIE_B.includes(high) && !(high === low) && '56'.includes(high)
    ? [low, high]
    : DIE_A.includes(high) && DIE_B.includes(low)
      ? [high, low]
      : [low, high];
}
