/** The dice: all have pips. */
import { pips } from '../../draw/dice';
import type { GameDice } from '../game';

export const dice: GameDice = {
  outcomes: 6,
  roll: (outcome) => String(outcome + 1),
  isRoll: (action) => /^[1-6]$/.test(action),
  face: (face) => pips(face, 9, 'var(--ink)'),
};
