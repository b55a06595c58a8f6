/** Dice, with glyphs or pips on their faces. */
import { glyphs } from './glyphs';
import { fill, ink, lip, shapeOf, type Colour } from './colours';
import { f1 } from './svg';

/** The faces of a die with pips. */
export const DIE_PIPS = ['1', '2', '3', '4', '5', '6'];

/**
 * How a face is marked: `glyph` with a digit or a letter and the seat's shape, `pool` with round pips, `own` with
 * pips of
 * the seat's shape in an inlaid frame, so that black's own die differs from the black dice that belong to nobody.
 */
export type Marks = 'glyph' | 'pool' | 'own';

const PIPS: Record<string, [number, number][]> = {
  '1': [[50, 50]],
  '2': [
    [28, 28],
    [72, 72],
  ],
  '3': [
    [26, 26],
    [50, 50],
    [74, 74],
  ],
  '4': [
    [28, 28],
    [72, 28],
    [28, 72],
    [72, 72],
  ],
  '5': [
    [27, 27],
    [73, 27],
    [50, 50],
    [27, 73],
    [73, 73],
  ],
  '6': [
    [29, 24],
    [71, 24],
    [29, 50],
    [71, 50],
    [29, 76],
    [71, 76],
  ],
};

/** Pips as circles in the box 0..100. */
export const pips = (face: string, r: number, colour: string): string =>
  (PIPS[face] ?? []).map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour}"/>`).join('');

/** What is on a face, in the box 0..100. An empty face shows the seat's shape alone. */
export function faceMark(colour: Colour, face: string, marks: Marks = 'glyph'): string {
  const tint = ink(colour);
  const shape = shapeOf(colour).d;
  if (marks === 'own') {
    const frame =
      `<rect x="9" y="9" width="82" height="82" rx="14" fill="none" stroke="${tint}" ` +
      `stroke-opacity=".8" stroke-width="3.5"/>`;
    const spots = (PIPS[face] ?? [])
      .map(
        ([x, y]) =>
          `<path d="${shape}" transform="translate(${f1(50 + (x - 50) * 0.86)} ${f1(50 + (y - 50) * 0.86)}) ` +
          `scale(.2)" fill="${tint}"/>`,
      )
      .join('');
    return `<g class="mark">${frame}${spots}</g>`;
  }
  if (marks === 'pool') return `<g class="mark">${pips(face, 9.5, tint)}</g>`;
  if (!face) return `<g class="mark"><path d="${shape}" transform="translate(50 50) scale(.42)" fill="${tint}"/></g>`;
  const badge = `<path d="${shape}" transform="translate(16 16) scale(.14)" fill="${tint}"/>`;
  const mark =
    face === 'X'
      ? `<circle cx="50" cy="50" r="35" fill="none" stroke="${tint}" ` +
        `stroke-width="5"/>${glyphs('X', 50, 50, 38, tint, 24)}`
      : glyphs(face, 50, 51, 58, tint, 17);
  return `<g class="mark">${mark}${badge}</g>`;
}

export interface DieLook {
  marks?: Marks;
  /** Degrees. */
  rot?: number;
  ghost?: boolean;
}

/** A die lying on the board: lip, glaze, face. (x, y) is its upper left corner, `s` its edge. */
export function die(colour: Colour, face: string, x: number, y: number, s: number, look: DieLook = {}): string {
  const { marks = 'glyph', rot = 0, ghost = false } = look;
  return (
    `<g transform="translate(${f1(x)} ${f1(y)}) rotate(${rot} ${f1(s / 2)} ${f1(s / 2)}) ` +
    `scale(${Math.round(s * 10) / 1000})"${ghost ? ' opacity=".62"' : ''}>` +
    `<rect x="3" y="12" width="100" height="100" rx="22" fill="var(--shadow)"/>` +
    `<rect y="8" width="100" height="100" rx="20" fill="${lip(colour)}"/>` +
    `<rect width="100" height="100" rx="20" fill="${fill(colour)}" ` +
    `stroke="${colour === 'black' ? '#8A8390' : lip(colour)}" stroke-width="3"/>` +
    `<path d="M10 34V22Q10 10 22 10H66Q24 12 10 34z" fill="#fff" opacity="${colour === 'white' ? 0.9 : 0.2}"/>` +
    (ghost
      ? '<rect x="-5" y="-5" width="110" height="118" rx="25" fill="none" stroke="var(--preview)" ' +
        'stroke-width="7" stroke-dasharray="16 11"/>'
      : '') +
    faceMark(colour, face, marks) +
    '</g>'
  );
}

/** One side of a cube in the hand, as the inside of an SVG with the box 0..100. */
export function cubeSide(colour: Colour, face: string, marks: Marks): string {
  return (
    `<path d="M10 36V24Q10 10 24 10H70Q24 12 10 36z" fill="#fff" opacity="${colour === 'white' ? 0.9 : 0.2}"/>` +
    faceMark(colour, face, marks) +
    `<rect class="shade" width="100" height="100" fill="none"/>` +
    `<rect x="1.5" y="1.5" width="97" height="97" rx="19" fill="none" stroke="${lip(colour)}" ` +
    `stroke-opacity=".55" stroke-width="3"/>`
  );
}

/** The six sides of a cube, the one that counts first, the others as they come. */
export function sides(faces: string[], front: string): string[] {
  const at = faces.indexOf(front);
  return at < 0 ? [front, ...faces.slice(1)] : [front, ...faces.slice(at + 1), ...faces.slice(0, at)];
}
