/** Tiles: twelve motifs on a field of 40 that join their neighbours, and five glazes. Nothing is random. */
import { f1, type Box } from './svg';

/** Classes `g`, `a`, `b` and `as` take the glaze of the pattern around them (app.css). */
const MOTIFS: readonly string[] = [
  '<path class="a" d="M20 4L36 20L20 36L4 20z"/><path class="g" d="M20 12L28 20L20 28L12 20z"/>' +
    '<path class="b" d="M0-5L5 0L0 5zM40-5V5L35 0zM0 35L5 40L0 45zM40 35V45L35 40z"/>' +
    '<circle class="b" cx="20" cy="20" r="2.6"/>',
  '<path class="a" d="M0 0Q18 2 20 20Q2 18 0 0zM40 0Q38 18 20 20Q22 2 40 0zM0 40Q2 22 20 20Q18 38 0 40z' +
    'M40 40Q22 38 20 20Q38 22 40 40z"/><circle class="b" cx="20" cy="20" r="3.4"/>',
  '<circle class="a" cx="20" cy="9.5" r="7"/><circle class="a" cx="20" cy="30.5" r="7"/>' +
    '<circle class="a" cx="9.5" cy="20" r="7"/><circle class="a" cx="30.5" cy="20" r="7"/>' +
    '<circle class="g" cx="20" cy="20" r="5.5"/><circle class="b" cx="20" cy="20" r="3"/>' +
    '<path class="b" d="M0 0h5L0 5zM40 0v5L35 0zM0 40v-5L5 40zM40 40h-5L40 35z"/>',
  '<path class="a" d="M9 9H31V31H9z"/><path class="a" d="M20 4.4L35.6 20L20 35.6L4.4 20z"/>' +
    '<path class="g" d="M20 11L29 20L20 29L11 20z"/><path class="b" d="M16.5 16.5h7v7h-7z"/>',
  '<path class="as" stroke-width="4.5" d="M0 30A30 30 0 0 0 30 0M0 19A19 19 0 0 0 19 0M40 10A30 30 0 0 0 10 40M' +
    '40 21A19 19 0 0 0 21 40"/><path class="b" d="M0 0H8A8 8 0 0 1 0 8zM40 40H32A8 8 0 0 1 40 32z"/>',
  '<path class="a" d="M0 12C10 2 14 2 20 10S32 20 40 12V20C32 28 26 26 20 18S10 12 0 20z' +
    'M0 32C10 22 14 22 20 30S32 40 40 32V40C32 48 26 46 20 38S10 32 0 40z"/>' +
    '<circle class="b" cx="30" cy="8" r="2.4"/>',
  '<path class="a" d="M16 0h8v16h16v8H24v16h-8V24H0v-8h16z"/><path class="g" d="M20 13L27 20L20 27L13 20z"/>' +
    '<circle class="b" cx="20" cy="20" r="2.8"/>' +
    '<path class="b" d="M8 5L11 8L8 11L5 8zM32 5L35 8L32 11L29 8zM8 29L11 32L8 35L5 32zM32 29L35 32L32 35L29 32z"/>',
  '<path class="a" d="M0 22L20 6L40 22V32L20 16L0 32z"/>' +
    '<path class="b" d="M20 26L25 31L20 36L15 31zM0 5L4 9L0 13zM40 5V13L36 9z"/>',
  '<path class="a" d="M0 0H20V20zM40 0V20H20zM40 40H20V20zM0 40V20H20z"/>' +
    '<path class="b" d="M20 15L25 20L20 25L15 20z"/>',
  '<g class="as" stroke-width="3.4" stroke-linecap="round">' +
    '<path d="M20 4V9M20 31V36M4 20H9M31 20H36M8.7 8.7L12 12M28 28L31.3 31.3M8.7 31.3L12 28M28 12L31.3 8.7"/>' +
    '</g><circle class="a" cx="20" cy="20" r="8"/><circle class="b" cx="20" cy="20" r="3.4"/>',
  '<g class="as" stroke-width="4"><circle cx="0" cy="0" r="17"/><circle cx="40" cy="0" r="17"/>' +
    '<circle cx="0" cy="40" r="17"/><circle cx="40" cy="40" r="17"/></g>' +
    '<path class="b" d="M20 14L26 20L20 26L14 20z"/>',
  '<path class="a" d="M0 0H20V20H0zM20 20H40V40H20z"/>' +
    '<path class="g" d="M10 4L16 10L10 16L4 10zM30 24L36 30L30 36L24 30z"/>' +
    '<path class="b" d="M30 6L34 10L30 14L26 10zM10 26L14 30L10 34L6 30z"/>',
];
const ORDER = [0, 1, 6, 4, 10, 2, 8, 5, 11, 7] as const;
const LANDING = 5; // the cobalt glaze of every fifth step

export interface Tile {
  motif: number;
  glaze: number;
  flip: boolean;
}

/** The tile of a step: neighbours share neither motif nor glaze; every fifth is a landing. */
export function tileOf(step: number): Tile {
  if (step && step % 5 === 0) return { motif: step % 2 ? 9 : 3, glaze: LANDING, flip: false };
  return {
    motif: ORDER[(step * 7) % 10] ?? 0,
    glaze: (step * 2 + Math.floor(step / 5) * 3) % 5,
    flip: step % 3 === 0,
  };
}

/** A tile in the box 0..40. */
const drawn = (tile: Tile): string =>
  `<path class="g" d="M0 0H40V40H0z"/>${MOTIFS[tile.motif] ?? ''}` +
  '<path d="M0 0H40V40H0z" fill="none" stroke="var(--tread-2)" stroke-width="1.6"/>';

const look = (tile: Tile): string => `class="glaze-${tile.glaze}${tile.flip ? ' flip' : ''}"`;

/** A `<pattern>` of the tile, `size` wide, with its corner at (x, y). */
export function tilePattern(id: string, tile: Tile, size: number, x = 0, y = 0): string {
  return (
    `<pattern id="${id}" ${look(tile)} patternUnits="userSpaceOnUse" ` +
    `x="${f1(x)}" y="${f1(y)}" ` +
    `width="${f1(size)}" height="${f1(size)}" viewBox="0 0 40 40">` +
    `${drawn(tile)}</pattern>`
  );
}

/** A box of tiles, `size` wide: by a pattern, or tile by tile. Browsers print patterns as coarse bitmaps. */
export function tiled(id: string, tile: Tile, size: number, box: Box, single: boolean): string {
  const { x, y, w, h } = box;
  const at = `x="${f1(x)}" y="${f1(y)}" width="${f1(w)}" height="${f1(h)}"`;
  if (!single) return `<defs>${tilePattern(id, tile, size, x, y)}</defs><rect ${at} fill="url(#${id})"/>`;
  const rows = Array.from({ length: Math.ceil(h / size) }, (_, row) => row);
  const columns = Array.from({ length: Math.ceil(w / size - 0.01) }, (_, column) => column);
  const uses = rows.flatMap((row) =>
    columns.map((column) => `<use href="#${id}" x="${column * 40}" y="${row * 40}"/>`),
  );
  return (
    `<defs><g id="${id}" ${look(tile)}>${drawn(tile)}</g></defs>` +
    `<svg ${at}><g transform="scale(${size / 40})">${uses.join('')}</g></svg>`
  );
}
