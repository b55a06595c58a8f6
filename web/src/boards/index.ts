/** The games that there are. Their names are known here and in `faces.ts`, nowhere else. */
import { chainCover } from './chainCover';
import type { Cover } from './cover';
import { rapidoCover } from './rapidoCover';

const COVERS: Record<string, Cover> = { rapido: rapidoCover, chain: chainCover };

/** The games in the order in which they are offered. */
export const GAME_NAMES = Object.keys(COVERS);

export function coverOf(game: string): Cover {
  const cover = COVERS[game];
  if (!cover) throw new Error(`there is no game ${game}`);
  return cover;
}
