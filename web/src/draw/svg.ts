/** Small helpers of the drawing functions: pure functions from data to SVG text. */

/** A number with one decimal: all that a picture needs. */
export const f1 = (n: number): number => Math.round(n * 10) / 10;

/** A point of a path. */
export const xy = (x: number, y: number): string => `${f1(x)} ${f1(y)}`;

/**
 * Text that may stand inside an element or an attribute. All that is not ours (translations, names) goes through it.
 */
export const esc = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  w: number;
  h: number;
}
