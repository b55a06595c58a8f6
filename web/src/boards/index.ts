/** The games that have pictures. Their names are known here and in `faces.ts`, nowhere else. Other games are drawn plainly. */
import { chainCover } from './chainCover';
import type { Cover } from './cover';
import { plainCover } from './plainCover';
import { rapidoCover } from './rapidoCover';

const COVERS: Record<string, Cover> = { rapido: rapidoCover, chain: chainCover };

/** The games with pictures, rules pages and lessons, in the order in which they are offered. */
export const GAME_NAMES = Object.keys(COVERS);

export const coverOf = (game: string): Cover => COVERS[game] ?? plainCover(game);
