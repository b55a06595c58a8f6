/** What to do with a roll, as small signs in a box of 24: each has its own shape, so that none is told by colour alone. */
import { fill, ink, lip, shapeOf, type Colour } from './seats';
import { glyphs } from './glyphs';

const stroke = (d: string, colour = 'currentColor') => `<path d="${d}" fill="none" stroke="${colour}" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>`;

export const MARKS = {
  /** Roll again: round and round. */
  again: stroke('M19.5 9.5A8 8 0 1 0 20 13M20 4.5v5.2h-5.2'),
  /** An X ended the turn: down. */
  fall: stroke('M12 4v11M6.5 10.5L12 16l5.5-5.5M5 20.5h14'),
  won: stroke('M6 21V4h11l-2.2 4 2.2 4H6'),
  up: stroke('M5 18L18 6M10 5.5h8.5V14'),
  down: stroke('M5 6l13 12M18.5 10v8.5H10'),
  /** One die more. */
  more: stroke('M8 3.5h8a4.5 4.5 0 0 1 4.5 4.5v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8A4.5 4.5 0 0 1 8 3.5zM12 8v8M8 12h8'),
  /** The dice make no chain. */
  fail: stroke('M9.5 15.5l-2 2a3.5 3.5 0 0 1-5-5l2-2M14.5 8.5l2-2a3.5 3.5 0 0 1 5 5l-2 2M9 4.5v2.5M4.5 9H7M15 19.5V17M19.5 15H17'),
} as const;
export type Mark = keyof typeof MARKS;

/** The number of a field of Rapido, as it stands on the tower. */
export const plate = (field: number): string =>
  `<rect x="1" y="1" width="22" height="22" rx="5" fill="var(--plate)"/>${glyphs(field, 12, 12.4, 13, 'var(--plate-ink)', 15)}`;

/** A disc of Chain that moves, with the space where it lies; with its shape alone it waits at the start. */
export const discMark = (colour: Colour, space: number): string =>
  `<circle cx="12" cy="13.2" r="10.3" fill="${lip(colour)}"/><circle cx="12" cy="11.8" r="10" fill="${fill(colour)}" stroke="var(--edge)" stroke-width="1"/>` +
  (space > 0
    ? glyphs(space, 12, 12, 9.5, ink(colour), 16)
    : `<path d="${shapeOf(colour).d}" transform="translate(12 11.8) scale(.12)" fill="${ink(colour)}"/>`);
