/** The games as they are played. Only what shows a position needs it: it is most of the client. */
import { chainFace } from './chainFace';
import type { Face } from './face';
import { plainFace } from './plainFace';
import { rapidoFace } from './rapidoFace';

// A face is used with the views of its own script only, so what they are need not be known here.
const FACES: Record<string, Face> = {
  rapido: rapidoFace as unknown as Face,
  chain: chainFace as unknown as Face,
};

/** A game without a board of its own has a plain one. */
export const faceOf = (game: string): Face => (FACES[game] ??= plainFace(game) as unknown as Face);
