/**
 * A window on the stairs, for boxes in which the whole stairs would be too small to read: a few steps around a piece,
 * the whole stairs beside them, and pills at the edge for pieces outside. Pure layout first, then drawing.
 */
import { fill, shapeOf, token, type Colour } from '../../draw/colours';
import { glyphs } from '../../draw/glyphs';
import { f1, type Box, type Point } from '../../draw/svg';
import { tileOf, tilePattern } from '../../draw/tiles';
import { radius, type Ground } from './pieces';
import { arch, stairLayout } from './stairs';

/** The least height of a step at which the numbers of the whole stairs can be read. */
const LEAST_PITCH = 16.5;
/** How far above a piece the highest field of the tower leads. */
const ABOVE = 5;
const MINI = 26;
const EDGE = 8;

/** Whether a box of this size shows a window instead of the whole stairs. */
export const isWindowed = (w: number, h: number, finish: number): boolean =>
  w <= 560 && stairLayout({ x: 0, w, h, finish, lanes: 1 }).pitch < LEAST_PITCH;

/** The number of steps that a box of this height shows. */
export const stepsShown = (h: number, finish: number): number =>
  Math.min(finish + 1, Math.max(8, Math.min(12, Math.floor((h - 2 * EDGE) / 38))));

export interface StairWindow {
  /** The lowest step that is shown, and the first that no longer is. */
  lo: number;
  hi: number;
  /** The seats whose pieces are outside. */
  above: number[];
  below: number[];
}

/** The window around the piece of seat `me`: five steps above it, the rest below, pushed in at both ends. */
export function windowOn(steps: readonly number[], me: number, finish: number, count: number): StairWindow {
  return windowFrom(steps, lowest((steps[me] ?? 0) + ABOVE + 1 - count, finish, count), count);
}

/** The window whose lowest step is `lo`. */
export function windowFrom(steps: readonly number[], lo: number, count: number): StairWindow {
  const hi = lo + count;
  const seats = steps.map((_, seat) => seat);
  return {
    lo,
    hi,
    above: seats.filter((seat) => (steps[seat] ?? 0) >= hi),
    below: seats.filter((seat) => (steps[seat] ?? 0) < lo),
  };
}

/**
 * The lowest step after moving the window no further than needed to show all from `from` to `to`; `to` if not both
 * fit.
 */
export function windowWith(lo: number, from: number, to: number, finish: number, count: number): number {
  const [low, high] = from < to ? [from, to] : [to, from];
  if (high - low >= count) return lowest(to > from ? high + 1 - count : low, finish, count);
  return lowest(Math.min(low, Math.max(lo, high + 1 - count)), finish, count);
}

const lowest = (lo: number, finish: number, count: number): number => Math.max(0, Math.min(finish + 1 - count, lo));

export interface WindowLayout extends Ground {
  box: Box;
  lo: number;
  hi: number;
  finish: number;
  pitch: number;
  riser: number;
  tread: number;
  /** The front edge of a step. */
  y(step: number): number;
  inside(step: number): boolean;
}

/** The part of the box that the tower has. */
export const towerShare = (w: number): number => Math.min(Math.round(w * 0.455), 232);

/** The box of the mini stairs, and that of the window. */
export const miniBox = (h: number): Box => ({ x: 7, y: EDGE, w: MINI, h: h - 2 * EDGE });
export const windowBox = (w: number, h: number): Box => ({
  x: MINI + 16,
  y: EDGE,
  w: w - towerShare(w) - MINI - 27,
  h: h - 2 * EDGE,
});

/** `crowd`: the most pieces that stand on one step. */
export function windowLayout(
  box: Box,
  { lo, count, finish, crowd }: { lo: number; count: number; finish: number; crowd: number },
): WindowLayout {
  const pitch = Math.min(box.h / count, 52); // few steps are not stretched
  const bottom = box.y + box.h - pitch * 0.16;
  const wide = box.w * 0.8;
  const y = (step: number) => bottom - (step - lo) * pitch;
  const r = radius(wide, pitch, crowd);
  return {
    box,
    lo,
    hi: lo + count,
    finish,
    pitch,
    riser: pitch * 0.68,
    tread: pitch * 0.32,
    cx: box.x + box.w * 0.545,
    r,
    rows: true,
    y,
    width: (step) => wide * (1 - (0.13 * (step - lo)) / count),
    stand: (step) => y(step) - r * 0.82,
    inside: (step) => step >= lo && step < lo + count,
  };
}

/** How many steps outside the window are drawn too, so that it can scroll. */
const SPARE = 6;

/** The steps of the window and around it, to be clipped to its box. `id` keeps pictures of one page apart. */
export function windowSteps(L: WindowLayout, id: string, wave: string): string {
  const { cx, y, width, riser, tread, pitch, lo, hi, finish } = L;
  const { x, w } = L.box;
  const [first, last] = [Math.max(0, lo - SPARE), Math.min(finish, hi + SPARE)];
  const [floor, roof] = [y(first - 2), y(last + 2)];
  const out = [
    `<rect x="${f1(x)}" y="${f1(roof)}" width="${f1(w)}" height="${f1(floor - roof)}" fill="var(--wall)"/>`,
    ...[-1, 1].map(
      (s) =>
        `<path d="M${f1(cx + s * (width(first - 1) / 2 + w * 0.105))} ${f1(y(first - 1))}` +
        `L${f1(cx + s * (width(last + 1) / 2 + w * 0.095))} ${f1(y(last + 1))}" stroke="var(--wall-3)" ` +
        'stroke-width="4"/>',
    ),
  ];
  const defs: string[] = [];
  if (last === finish) out.push(summit(L));
  for (let n = first; n <= last; n++) {
    const wn = width(n);
    const [left, right, up] = [cx - wn / 2, cx + wn / 2, width(n + 1) / 2];
    if (n > 0) {
      const size = wn / Math.max(5, Math.round(wn / riser));
      defs.push(tilePattern(`${id}${n}`, tileOf(n - 1), size, left, y(n))); // the riser behind step n - 1
      out.push(
        `<rect x="${f1(left)}" y="${f1(y(n))}" width="${f1(wn)}" height="${f1(riser)}" fill="url(#${id}${n})"/>` +
          `<rect x="${f1(left)}" y="${f1(y(n))}" width="${f1(wn)}" height="${f1(riser * 0.13)}" ` +
          'fill="var(--wall-3)" opacity=".3"/>',
      );
    } else
      out.push(`<rect x="${f1(left)}" y="${f1(y(0))}" width="${f1(wn)}" height="${f1(pitch)}" fill="url(#${wave})"/>`);
    out.push(
      `<path d="${treadPath(L, n)}" fill="var(--tread)"/>` +
        (n === finish ? `<path d="${treadPath(L, n)}" fill="var(--sun)" opacity=".75"/>` : '') +
        `<path d="M${f1(left)} ${f1(y(n))}H${f1(right)}" stroke="var(--halo)" stroke-opacity=".6" ` +
        'stroke-width="1.4"/>' +
        `<path d="M${f1(cx - up)} ${f1(y(n) - tread)}H${f1(cx + up)}" stroke="var(--edge)" ` +
        'stroke-opacity=".45" stroke-width="1.6"/>',
    );
    const big = n % 5 === 0 || n === finish;
    const ph = Math.min(pitch * 0.62, 19);
    const pw = Math.min(ph * 1.45, w * 0.125);
    const [px, py] = [left - w * 0.052, y(n) - pitch * 0.46];
    out.push(
      `<rect x="${f1(px - pw / 2)}" y="${f1(py - ph / 2)}" width="${f1(pw)}" height="${f1(ph)}" ` +
        `rx="${f1(ph * 0.26)}" fill="${big ? 'var(--halo)' : 'var(--wall-2)'}"/>` +
        glyphs(n, px, py, ph * 0.54, big ? '#2B211A' : '#FFEBD3', 17),
    );
  }
  return `<defs>${defs.join('')}</defs>${out.join('')}`;
}

/** What is behind the last step: the sky, the sun and the arch of the finish, which is low if there is no room. */
function summit({ cx, y, width, tread, pitch, finish, hi, box: { x, w } }: WindowLayout): string {
  const foot = y(finish) - tread;
  const top = y(finish + SPARE);
  const aw = width(finish) * 0.42;
  const high = hi > finish + 1 ? pitch * 1.25 : pitch * 0.5;
  return (
    `<rect x="${f1(x)}" y="${f1(top)}" width="${f1(w)}" height="${f1(foot - top)}" fill="var(--sky-2)"/>` +
    `<circle cx="${f1(cx)}" cy="${f1(foot)}" r="${f1(Math.max(pitch * 0.5, high * 0.6))}" fill="var(--sun)" ` +
    `opacity=".9"/>${arch(cx, foot, aw, high)}`
  );
}

/** The surface of a step. */
export function treadPath(
  { cx, y, width, tread }: Pick<WindowLayout, 'cx' | 'y' | 'width' | 'tread'>,
  n: number,
): string {
  const [half, up] = [width(n) / 2, width(n + 1) / 2];
  return `M${f1(cx - half)} ${f1(y(n))}H${f1(cx + half)}L${f1(cx + up)} ${f1(y(n) - tread)}H${f1(cx - up)}z`;
}

interface Piece {
  colour: Colour;
  step: number;
}

/** The whole stairs, small: glazes, bare shapes, and a frame around the part that the window shows. */
export function miniStairs(box: Box, { lo, hi: end, finish }: WindowLayout, pieces: Piece[]): string {
  const hi = Math.min(end, finish + 1);
  const p = box.h / (finish + 1);
  const cx = box.x + box.w / 2;
  const y = (n: number) => box.y + box.h - n * p;
  const width = (n: number) => box.w * (0.92 - (0.24 * n) / finish);
  const [bottom, top] = [width(0) / 2 + 3, width(finish) / 2 + 3];
  const out = [
    `<path d="M${f1(cx - bottom)} ${f1(box.y + box.h + 2)}L${f1(cx - top)} ${f1(box.y - 2)}H${f1(cx + top)}` +
      `L${f1(cx + bottom)} ${f1(box.y + box.h + 2)}z" fill="var(--wall)" stroke="var(--halo)" ` +
      'stroke-width="1.5" stroke-linejoin="round"/>',
  ];
  for (let n = 0; n <= finish; n++)
    out.push(
      `<g class="glaze-${n ? (n === finish ? 5 : tileOf(n).glaze) : 1}">` +
        `<rect x="${f1(cx - width(n) / 2)}" y="${f1(y(n) - p)}" width="${f1(width(n))}" ` +
        `height="${f1(Math.max(1, p - 1.2))}" class="g"/></g>`,
    );
  const plate = Math.max(p, 13); // its number can be read at any number of steps
  out.push(
    (p < plate
      ? `<rect x="${f1(cx - top + 2)}" y="${f1(box.y)}" width="${f1(2 * top - 4)}" height="${f1(plate)}" ` +
        'fill="var(--g5)"/>'
      : '') + glyphs(finish, cx, box.y + plate / 2, Math.min(plate * 0.5, 10), 'var(--plate-ink)', 17),
    `<rect x="${f1(box.x - 2)}" y="${f1(y(hi))}" width="${f1(box.w + 4)}" height="${f1((hi - lo) * p)}" ` +
      'rx="5" fill="var(--halo)" fill-opacity=".28" stroke="var(--ink)" stroke-width="2"/>',
  );
  for (const step of new Set(pieces.map((piece) => piece.step))) {
    const here = pieces.filter((piece) => piece.step === step);
    const r = Math.min(Math.max(p * 0.5, 5), (box.w * 0.86) / here.length / 2);
    const cy = Math.min(box.y + box.h - r, Math.max(box.y + r, y(step) - p / 2));
    here.forEach(({ colour }, i) =>
      out.push(miniPiece(colour, cx + (i - (here.length - 1) / 2) * 2 * r, cy, r * 0.94)),
    );
  }
  return out.join('');
}

function miniPiece(colour: Colour, x: number, y: number, r: number): string {
  const { d } = shapeOf(colour);
  return (
    `<g transform="translate(${f1(x)} ${f1(y)}) scale(${Math.round(r * 20) / 1000})">` +
    `<path d="${d}" fill="none" stroke="#2B211A" stroke-width="22" stroke-linejoin="round"/>` +
    `<path d="${d}" fill="${fill(colour)}" stroke="var(--halo)" stroke-width="9"/></g>`
  );
}

/** Two lines from the frame in the mini stairs to the window. */
export function sightLines(mini: Box, { lo, hi, finish, box }: WindowLayout): string {
  const at = (n: number) => f1(mini.y + mini.h * (1 - n / (finish + 1)));
  const left = f1(mini.x + mini.w + 1);
  const x = f1(box.x);
  const upper = `M${left} ${at(Math.min(hi, finish + 1))}L${x} ${f1(box.y + 2)}`;
  const lower = `M${left} ${at(lo)}L${x} ${f1(box.y + box.h - 2)}`;
  return `<path d="${upper}${lower}" stroke="var(--ink)" stroke-opacity=".55" stroke-width="1.5"/>`;
}

const PILL = { high: 22, cell: 38, arrow: 20 };

/**
 * Pills at the upper or lower edge of the window for pieces outside: arrow, token, number. They are at the right, at
 * the left if they would cover a piece there, or narrow ones below each other. `taken` has the centres of the pieces
 * inside.
 */
export function pills(
  L: Pick<WindowLayout, 'box' | 'r'>,
  pieces: Piece[],
  up: boolean,
  taken: readonly Point[],
): string {
  if (!pieces.length) return '';
  const { box } = L;
  const left = box.x + box.w * 0.16; // the wall has the numbers
  const room = box.x + box.w - 6 - left;
  const most = Math.max(1, Math.floor((room - PILL.arrow) / PILL.cell));
  const placed = (each: number) =>
    Array.from({ length: Math.ceil(pieces.length / each) }, (_, i) => {
      const row = pieces.slice(i * each, (i + 1) * each);
      const w = row.length * PILL.cell + PILL.arrow;
      const right = box.x + box.w - w - 6;
      const y = up ? box.y + 6 + i * 25 : box.y + box.h - 28 - i * 25;
      const covers = (x0: number) =>
        taken.some((at) => at.x > x0 - L.r && at.x < x0 + w + L.r && at.y > y - L.r && at.y < y + PILL.high + L.r);
      const x = covers(right) && !covers(left) ? left : right;
      return { row, x, y, w, covering: covers(x) };
    });
  const wide = placed(most);
  const slim = wide.some(({ covering }) => covering) ? placed(1) : wide;
  return (slim.some(({ covering }) => covering) ? wide : slim)
    .map(({ row, x, y, w }) => {
      const arrow = `M${f1(x + 8)} ${f1(y + (up ? 13 : 9))}l4 ${up ? -5 : 5}l4 ${up ? 5 : -5}`;
      return (
        `<g class="pill"><rect x="${f1(x)}" y="${f1(y)}" width="${w}" height="${PILL.high}" rx="11" ` +
        'fill="var(--paper)" stroke="var(--edge)"/>' +
        `<path d="${arrow}" fill="none" stroke="var(--ink)" stroke-width="2" stroke-linecap="round" ` +
        'stroke-linejoin="round"/>' +
        row
          .map(
            ({ colour, step }, k) =>
              token(colour, x + 29 + k * PILL.cell, y + 11, 7) +
              `<text x="${f1(x + 39 + k * PILL.cell)}" y="${f1(y + 15.5)}" class="away">${step}</text>`,
          )
          .join('') +
        '</g>'
      );
    })
    .join('');
}
