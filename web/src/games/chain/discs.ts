/** A disc, and where discs lie in a stack. */
import { glyphs } from '../../draw/glyphs';
import { fill, ink, lip, SEATS, shapeOf, type Colour } from '../../draw/colours';
import { xy, type Point } from '../../draw/svg';
import type { SpiralLayout } from './spiral';

export interface DiscLook {
  ghost?: boolean;
  /** A dotted ring: it may be chosen. */
  ring?: boolean;
}

/** A disc: glazed round, the seat's shape in plaster, the letter in the shape. */
export function disc(
  colour: Colour,
  x: number,
  y: number,
  r: number,
  { ghost = false, ring = false }: DiscLook = {},
): string {
  const { d, fit, dy } = shapeOf(colour);
  const white = colour === 'white';
  const plaster = white ? '#2B211A' : 'var(--halo)';
  const letter = white ? '#FFF9EC' : colour === 'yellow' ? '#2B211A' : lip(colour);
  return (
    `<g transform="translate(${xy(x, y)}) scale(${Math.round(r * 20) / 1000})"${ghost ? ' opacity=".72"' : ''}>` +
    '<circle cx="4" cy="14" r="51" fill="var(--shadow)"/>' +
    `<circle cy="9" r="50" fill="${lip(colour)}" stroke="var(--contour)" stroke-width="4"/>` +
    `<circle r="50" fill="${fill(colour)}" stroke="var(--halo)" stroke-width="5"/>` +
    `<circle r="43" fill="none" stroke="${ink(colour)}" stroke-opacity=".5" stroke-width="3" ` +
    'stroke-dasharray="3 6"/>' +
    `<path d="${d}" transform="scale(.64)" fill="${plaster}" stroke="${plaster}" stroke-width="6" ` +
    'stroke-linejoin="round"/>' +
    glyphs(SEATS[colour].letter, 0, dy * 0.64, 66 * fit + 4, letter, 19) +
    (ghost ? '<circle r="57" fill="none" stroke="var(--preview)" stroke-width="7" stroke-dasharray="15 11"/>' : '') +
    (ring
      ? '<circle r="58" fill="none" stroke="var(--legal)" stroke-width="6" stroke-dasharray="2 13" ' +
        'stroke-linecap="round"/>'
      : '') +
    '</g>'
  );
}

/** How much higher each disc of a stack of `count` lies; a high stack is pressed together. */
export const lift = (S: SpiralLayout, count = 2): number => S.disc * Math.min(0.3, 1.2 / Math.max(1, count - 1));

/** Where the disc `i` (from the bottom) of `count` on a space lies. */
export function stackSpot(S: SpiralLayout, n: number, i: number, count: number): Point {
  const p = S.space(n);
  return { x: p.x, y: p.y - i * lift(S, count) };
}

/** A stack, bottom first: rims below, the top one in full. */
export function stack(S: SpiralLayout, space: number, colours: Colour[]): string {
  return colours
    .map((colour, i) => {
      const p = stackSpot(S, space, i, colours.length);
      return disc(colour, p.x, p.y, S.disc);
    })
    .join('');
}
