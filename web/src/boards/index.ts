/** The games that can be shown: the only place that knows their names. */
import type { Face } from './face';
import { chainFace } from './chainFace';
import { rapidoFace } from './rapidoFace';

// A face is used with the views of its own script only, so what they are need not be known here.
const FACES: Record<string, Face> = {
  rapido: rapidoFace as unknown as Face,
  chain: chainFace as unknown as Face,
};

/** The games in the order in which they are offered. */
export const GAME_NAMES = Object.keys(FACES);

export function faceOf(game: string): Face {
  const face = FACES[game];
  if (!face) throw new Error(`there is no picture of the game ${game}`);
  return face;
}
