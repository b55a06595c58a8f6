/** Seats: a seat is known by colour and shape and letter, everywhere. */
import { glyphs } from './glyphs';
import { f1 } from './svg';

export const COLOURS = ['red', 'blue', 'green', 'yellow', 'black', 'white'] as const;
export type Colour = (typeof COLOURS)[number];

export type ShapeName = 'circle' | 'square' | 'triangle' | 'diamond' | 'star' | 'clover';

interface Shape {
  /** A path in the box -50..50. */
  d: string;
  /** Scales the letter. */
  fit: number;
  /** Centres the letter by eye. */
  dy: number;
}

export const SEATS: Record<Colour, { letter: string; shape: ShapeName }> = {
  red: { letter: 'R', shape: 'circle' },
  blue: { letter: 'B', shape: 'square' },
  green: { letter: 'G', shape: 'triangle' },
  yellow: { letter: 'Y', shape: 'diamond' },
  black: { letter: 'K', shape: 'star' },
  white: { letter: 'W', shape: 'clover' },
};

const starPath =
  Array.from({ length: 16 }, (_, i) => {
    const r = i % 2 ? 36 : 51;
    const t = (i * Math.PI) / 8;
    return `${i ? 'L' : 'M'}${f1(r * Math.sin(t))} ${f1(-r * Math.cos(t))}`;
  }).join('') + 'z';

export const SHAPES: Record<ShapeName, Shape> = {
  circle: { d: 'M-46 0a46 46 0 1 0 92 0a46 46 0 1 0-92 0z', fit: 0.5, dy: 0 },
  square: { d: 'M-40-32q0-8 8-8h64q8 0 8 8v64q0 8-8 8h-64q-8 0-8-8z', fit: 0.5, dy: 0 },
  triangle: { d: 'M-8-44q8-12 16 0l40 72q6 14-8 14h-80q-14 0-8-14z', fit: 0.4, dy: 11 },
  diamond: { d: 'M-6-48q6-6 12 0l42 42q6 6 0 12l-42 42q-6 6-12 0l-42-42q-6-6 0-12z', fit: 0.44, dy: 0 },
  star: { d: starPath, fit: 0.44, dy: 0 },
  clover: {
    d: 'M-15-15a20.5 20.5 0 1 1 30 0a20.5 20.5 0 1 1 0 30a20.5 20.5 0 1 1-30 0a20.5 20.5 0 1 1 0-30z',
    fit: 0.4,
    dy: 0,
  },
};

export const shapeOf = (colour: Colour): Shape => SHAPES[SEATS[colour].shape];
export const fill = (colour: Colour): string => `var(--p-${colour})`;
export const lip = (colour: Colour): string => `var(--p-${colour}-lip)`;
export const ink = (colour: Colour): string => `var(--p-${colour}-ink)`;

/** A colour off the wire; what is unknown is drawn red rather than not at all. */
export function asColour(name: string | undefined): Colour {
  return COLOURS.find((colour) => colour === name) ?? 'red';
}

export interface TokenLook {
  /** It stands on the board: thickness and a shadow. */
  standing?: boolean;
  /** It shows what would be. */
  ghost?: boolean;
}

/** A token: halo, contour, glaze, letter. `r` is half its size. */
export function token(colour: Colour, x: number, y: number, r: number, look: TokenLook = {}): string {
  const { standing = false, ghost = false } = look;
  const { d, fit, dy } = shapeOf(colour);
  const round = 'stroke-linejoin="round"';
  const under = standing
    ? `<ellipse cx="6" cy="50" rx="50" ry="11" fill="var(--shadow)"/>` +
      `<path d="${d}" transform="translate(0 9)" fill="${lip(colour)}" stroke="var(--contour)" ` +
      `stroke-width="22" ${round}/>` +
      `<path d="${d}" transform="translate(0 9)" fill="${lip(colour)}" stroke="${lip(colour)}" ` +
      `stroke-width="14" ${round}/>`
    : '';
  const rim = colour === 'white' ? `stroke="${lip(colour)}"` : `stroke="#fff" stroke-opacity=".28"`;
  return (
    `<g transform="translate(${f1(x)} ${f1(y)}) ` +
    `scale(${Math.round(r * 20) / 1000})"${ghost ? ' opacity=".8"' : ''}>${under}` +
    `<path d="${d}" fill="none" stroke="var(--contour)" stroke-width="${standing ? 22 : 16}" ${round}/>` +
    `<path d="${d}" fill="${fill(colour)}" stroke="var(--halo)" stroke-width="${standing ? 14 : 9}" ${round}/>` +
    `<path d="${d}" fill="${fill(colour)}"/>` +
    `<path d="${d}" fill="none" ${rim} stroke-width="4" transform="scale(.86)"/>` +
    glyphs(SEATS[colour].letter, 0, dy, 100 * fit, ink(colour), 17) +
    (ghost
      ? `<path d="${d}" transform="scale(1.2)" fill="none" stroke="var(--preview)" stroke-width="8" ` +
        `stroke-dasharray="15 11"/>`
      : '') +
    '</g>'
  );
}
