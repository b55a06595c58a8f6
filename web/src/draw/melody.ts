/** The chain as a melody: a die's height is its number, so that its direction and its turns are seen. */
import { f1, type Point } from './svg';

export interface MelodyLayout {
  w: number;
  h: number;
  /** A die's edge. */
  d: number;
  /** The height of a number's line. */
  y(number: number): number;
  /** The middle of the link `i`. */
  x(i: number): number;
  /** The middle of a column of numbers that might follow, of one or two; and the edge of a number in it. */
  next(column: number, of: number): number;
  cell: number;
}

const LEFT = 26;

/** `links` counts also the one that is coming. There is always room for two columns, so that nothing jumps. */
export function melodyLayout({ w, h, links }: { w: number; h: number; links: number }): MelodyLayout {
  const most = Math.min(44, h * 0.225);
  const cell = Math.min(24, (h - most - 12) / 5) * 0.9;
  const aside = 2 * (cell + 8) + 10;
  const pitch = Math.min(most * 1.42, (w - LEFT - aside - most) / Math.max(1, links - 1));
  const d = Math.max(20, Math.min(most, pitch * 1.15));
  const row = (h - most - 12) / 5;
  return {
    w, h, d, cell,
    y: (number) => h - 8 - most / 2 - (number - 1) * row,
    x: (i) => LEFT + most / 2 + i * pitch,
    next: (column, of) => w - aside + 8 + (column + (2 - of) / 2) * (cell + 8) + cell / 2,
  };
}

/** The rope from link to link. */
export function rope(L: MelodyLayout, links: number[]): string {
  return links.map((number, i) => `${i ? 'L' : 'M'}${f1(L.x(i))} ${f1(L.y(number))}`).join('');
}

/** The dotted line from the last link to the numbers that fit. */
export function lead(last: Point, to: Point): string {
  const middle = (last.x + to.x) / 2;
  return `M${f1(last.x)} ${f1(last.y)}C${f1(middle)} ${f1(last.y)} ${f1(middle)} ${f1(to.y)} ${f1(to.x)} ${f1(to.y)}`;
}

/** The links at which the chain turned round: equal links in a row count as one. */
export function turnsOf(links: number[]): { at: number; up: boolean }[] {
  const turns: { at: number; up: boolean }[] = [];
  let way = 0;
  for (let i = 1; i < links.length; i++) {
    const now = Math.sign((links[i] ?? 0) - (links[i - 1] ?? 0));
    if (now && way && now !== way) turns.push({ at: i - 1, up: now > 0 });
    if (now) way = now;
  }
  return turns;
}
