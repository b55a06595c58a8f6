/** The chain as a melody: a die's height is its number, so that its direction and its turns are seen. */
import { f1, type Point } from '../../draw/svg';

export interface MelodyLayout {
  w: number;
  h: number;
  /** A die's edge. A long chain narrows its columns and dice, never its heights. */
  d: number;
  /** The height of a number's line. */
  y(number: number): number;
  /** The middle of the link `i`. */
  x(i: number): number;
  /** The middle of a column of numbers that might follow, and the edge of a number in it. */
  next(column: number): number;
  cell: number;
}

const LEFT = 26;
/** Room for the numbers that might follow, with words if the chain is short. */
const WORDS = 118;
const SHORT = 5;

/** `links` counts all places: built, coming, proposed. */
export function melodyLayout({ w, h, links }: { w: number; h: number; links: number }): MelodyLayout {
  const most = Math.max(26, Math.min(46, h * 0.275));
  const row = (h - most - 10) / 5;
  const cell = row * 0.9;
  const columns = 2 * (Math.min(cell, 24) + 8) + 4;
  const aside = Math.max(columns, links > SHORT ? 0 : WORDS);
  const pitch = Math.min(most * 1.62, (w - LEFT - aside) / Math.max(4, links));
  const d = Math.min(most, pitch * 0.94);
  const x = (i: number) => LEFT + d / 2 + i * pitch;
  const edge = Math.min(cell, 24);
  return {
    w,
    h,
    d,
    cell: edge,
    y: (number) => h - 6 - most / 2 - (number - 1) * row,
    x,
    next: (column) => x(links) - d / 2 + 8 + edge / 2 + column * (edge + 8),
  };
}

/** The rope from link to link. */
export function rope(L: MelodyLayout, links: number[], first = 0): string {
  return links.map((number, i) => `${i ? 'L' : 'M'}${f1(L.x(first + i))} ${f1(L.y(number))}`).join('');
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
