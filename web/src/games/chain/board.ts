import { readBoard, type BoardData } from './spiral';
import boards from '../../../../src/escadaria/games/chain/data/boards.json';

/** The board of a match, by its option: a name or a text. */
export function boardOf(option: unknown): BoardData {
  const named = (boards as Record<string, { length: number; arrows: Record<string, number> }>)[String(option)];
  if (!named) return readBoard(String(option));
  return {
    length: named.length,
    arrows: new Map(Object.entries(named.arrows).map(([from, to]) => [Number(from), to])),
  };
}
