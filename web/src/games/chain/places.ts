/**
 * What lies around discs: the number of their space, who lies underneath, the places at the start and at the
 * centre.
 */
import { glyphs } from '../../draw/glyphs';
import { token, type Colour } from '../../draw/colours';
import { f1, xy, type Box, type Point } from '../../draw/svg';
import { lift, stackSpot } from './discs';
import type { SpiralLayout } from './spiral';

/**
 * On a small spiral badges on the inner side of the stone say who lies under a disc, on a large one a tab beside
 * it.
 */
export const isSmall = (S: SpiralLayout): boolean => S.gap < 48;

/**
 * The plaque with the number of an occupied space: on its outer side, or where a high stack rises there on the
 * inner one.
 */
export function plaqueBox(S: SpiralLayout, n: number, count: number): Box {
  const h = Math.max(8, S.gap * 0.105);
  const rises = count > 1 && Math.sin(S.space(n).a) < -0.3; // the outer side is up
  const raised = rises && isSmall(S) ? lift(S, count) * (count - 1) : 0;
  const q = S.at(S.t(n), (S.disc + h * 0.62 + raised) * (rises && !isSmall(S) ? -1 : 1));
  const w = h * (n > 9 ? 2.2 : 1.6);
  return { x: q.x - w / 2, y: q.y - h * 0.85, w, h: h * 1.7 };
}

/** The number of an occupied space, on a plaque beside its discs; to be drawn above all discs. */
export function plaque(S: SpiralLayout, n: number, count = 1): string {
  const { x, y, w, h } = plaqueBox(S, n, count);
  return (
    `<rect x="${f1(x)}" y="${f1(y)}" width="${f1(w)}" height="${f1(h)}" rx="${f1(h * 0.3)}" ` +
    'fill="var(--stone)" stroke="var(--stone-edge)"/>' +
    glyphs(n, x + w / 2, y + h / 2, h / 1.7, 'var(--stone-ink)', 15)
  );
}

/** The discs of a space, bottom first. */
export interface Pile {
  space: number;
  colours: Colour[];
}

/** Who lies under the top disc of a pile, and the box where that is shown. */
export interface Tag {
  pile: Pile;
  box: Box;
  /** Small spirals: the middle of each badge, and its radius. */
  badges: Point[];
  r: number;
  /** Large spirals: a tab has rows, and a nose that points to its pile. */
  rows: number;
  left: boolean;
}

/** Badges for more discs would reach the neighbours: the last one counts the others. */
const BADGES_MOST = 3;

const covers = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

/**
 * Where the tags of all piles are shown: beside their pile, where they cover least of plaques, other discs and
 * `numbers`, those of the spaces.
 */
export function tagsOf(S: SpiralLayout, piles: Pile[], numbers: ReadonlyMap<number, Box> = new Map()): Tag[] {
  const plaques = piles.map(({ space, colours }) => plaqueBox(S, space, colours.length));
  const discs = piles.map(({ space, colours }) => {
    const { x, y } = stackSpot(S, space, colours.length - 1, colours.length);
    return { x: x - S.disc, y: y - S.disc, w: 2 * S.disc, h: 2 * S.disc };
  });
  const free = [...numbers].flatMap(([n, box]) => (piles.some(({ space }) => space === n) ? [] : [box]));
  const tags: Tag[] = [];
  for (const [i, pile] of piles.entries()) {
    if (pile.colours.length < 2) continue;
    const others = discs.filter((_, j) => j !== i);
    const cost = ({ box }: Tag) =>
      4 * sum(plaques.map((plate) => covers(box, plate))) +
      2 * sum(tags.map((other) => covers(box, other.box))) +
      sum(others.map((disc) => covers(box, disc))) +
      3 * sum(free.map((number) => covers(box, number))) +
      4 * (box.w * box.h - covers(box, { x: 0, y: 0, w: S.size, h: S.size }));
    const [first, ...rest] = isSmall(S) ? badgesBeside(S, pile) : tabsBeside(S, pile);
    if (first) tags.push(rest.reduce((best, tag) => (cost(tag) < cost(best) - 0.5 ? tag : best), first));
  }
  return tags;
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * Places for the badges of a pile, the best first: on the inner side of its stone, a little along the track,
 * outside.
 */
function badgesBeside(S: SpiralLayout, pile: Pile): Tag[] {
  const k = Math.max(6.5, S.disc * 0.5);
  const r = k * 1.32;
  const count = Math.min(BADGES_MOST, pile.colours.length - 1);
  const middle = S.space(pile.space);
  const around = Math.hypot(middle.x - S.cx, middle.y - S.cy);
  const places: [number, number][] = [
    [-0.36, 0],
    [-0.36, 0.4],
    [-0.36, -0.4],
    [-0.3, 0.62],
    [-0.3, -0.62],
    [0.4, 0.62],
    [0.4, -0.62],
  ];
  return places.map(([off, along]) => {
    const badges = Array.from({ length: count }, (_, i) =>
      S.at(S.t(pile.space) + ((i - (count - 1) / 2) * k * 2.1 + along * S.pitch) / around, off * S.gap),
    );
    const [xs, ys] = [badges.map((p) => p.x), badges.map((p) => p.y)];
    const box = {
      x: Math.min(...xs) - r,
      y: Math.min(...ys) - r,
      w: Math.max(...xs) - Math.min(...xs) + 2 * r,
      h: Math.max(...ys) - Math.min(...ys) + 2 * r,
    };
    return { pile, box, badges, r, rows: 1, left: false };
  });
}

/** Places for the tab of a pile, the best first: to the right, to the left, lower and higher. */
function tabsBeside(S: SpiralLayout, pile: Pile): Tag[] {
  const p = S.space(pile.space);
  const r = Math.max(7.5, S.disc * 0.4);
  const under = pile.colours.length - 1;
  const rows = under <= 4 ? under : Math.ceil(under / 2);
  const w = r * (0.5 + 2.1 * Math.ceil(under / rows));
  const h = r * (0.5 + 2.1 * rows);
  return [-0.1, 0.35, -0.6, 0.8, -1.2].flatMap((lower) =>
    [false, true].map((left) => {
      const x = left ? p.x - S.disc * 0.94 - w : p.x + S.disc * 0.94;
      const y = Math.max(0, Math.min(p.y + S.disc * lower, S.size - h));
      return { pile, box: { x, y, w, h }, badges: [], r, rows, left };
    }),
  );
}

/** Who lies under the top disc, from the top; to be drawn above plaques. */
export function drawTag({ pile, box, badges, r, rows, left }: Tag): string {
  const under = pile.colours.slice(0, -1).toReversed();
  const edge = 'fill="var(--paper)" stroke="var(--edge)" stroke-width="1.2"';
  if (badges.length) {
    const shown = under.length > BADGES_MOST ? under.slice(0, BADGES_MOST - 1) : under;
    return badges
      .map((p, i) => {
        const colour = shown[i];
        const inside = colour
          ? token(colour, p.x, p.y, r * 0.62)
          : `<text x="${f1(p.x)}" y="${f1(p.y + r * 0.38)}" text-anchor="middle" font-size="${f1(r * 1.1)}" ` +
            `font-weight="700" fill="var(--ink)">+${under.length - shown.length}</text>`;
        return `<circle cx="${f1(p.x)}" cy="${f1(p.y)}" r="${f1(r)}" ${edge}/>${inside}`;
      })
      .join('');
  }
  const nose = left ? box.x + box.w - r * 1.2 : box.x + r * 1.2;
  return (
    `<rect x="${f1(box.x)}" y="${f1(box.y)}" width="${f1(box.w)}" height="${f1(box.h)}" ` +
    `rx="${f1(r * 0.7)}" ${edge}/>` +
    `<path d="M${xy(nose - r * 0.6, box.y + 0.7)}l${xy(r * 0.6, -r * 0.6)}l${xy(r * 0.6, r * 0.6)}" ${edge}/>` +
    under
      .map((colour, i) =>
        token(colour, box.x + r * (1.3 + 2.1 * Math.floor(i / rows)), box.y + r * (1.3 + 2.1 * (i % rows)), r * 0.84),
      )
      .join('')
  );
}

/** The boxes of start and pool in the lower corners of a board, in the spiral's coordinates. */
export interface Yard {
  start: Box;
  pool: Box;
  /** The height of the word in the start's box. */
  head: number;
  /** Whether there is only room for short words, or little room. */
  tight: boolean;
  square: boolean;
  /** The radius of a waiting disc. */
  r: number;
  /** Where the disc `i` of a seat waits. */
  spot(seat: number, i: number): Point;
}

/**
 * @param w and `h` are the board's size, (x, y) is the spiral's corner in it
 * @param waiting the seats with a disc at the start
 */
export function yardOf({ w, h, x, y }: Box, waiting: number[]): Yard {
  const small = w < 480;
  const square = h < w * 1.06; // the corners are all the room there is
  const tight = small && square;
  const rows = waiting.length > 3 ? 2 : 1;
  const edge = small ? 5 : square ? 9 : 16;
  const narrow = w < 360 ? 52 : 58;
  const many = waiting.length > 2;
  const size = tight
    ? { start: [narrow, 42], pool: [narrow, 42] }
    : small
      ? { start: [waiting.length > 4 || waiting.length === 3 ? 100 : 72, rows > 1 ? 62 : 44], pool: [78, 44] }
      : square
        ? { start: [many ? 116 : 88, rows > 1 ? 84 : 56], pool: [94, 56] }
        : { start: [150, rows > 1 ? 100 : 70], pool: [124, 70] };
  const [sw = 0, sh = 0] = size.start;
  const [pw = 0, ph = 0] = size.pool;
  const start = { x: edge - x, y: h - edge - sh - y, w: sw, h: sh };
  const pool = { x: w - edge - pw - x, y: h - edge - ph - y, w: pw, h: ph };
  const head = small ? 16 : square ? 21 : 24;
  const r = tight ? (rows > 1 ? 5.6 : many ? 6 : 8.5) : small ? 9 : square ? 12 : 15;
  const room = { x: start.x + 3, y: start.y + head, w: sw - 6, h: sh - head - 2 };
  const place = startSpots(room, waiting.length, r);
  return { start, pool, head, tight, square, r, spot: (seat, i) => place(Math.max(0, waiting.indexOf(seat)), i) };
}

/**
 * Where the discs of these seats wait: in one row, or in two; the discs of one seat overlap. `r` is the same for
 * all.
 */
export function startSpots(box: Box, seats: number, r: number): (place: number, i: number) => Point {
  const rows = seats > 3 ? 2 : 1;
  const columns = Math.ceil(seats / rows);
  return (place, i) => {
    const row = Math.floor(place / columns);
    const here = row === rows - 1 ? seats - columns * (rows - 1) : columns;
    return {
      x:
        box.x +
        box.w / 2 +
        ((place % columns) - (here - 1) / 2) * Math.min(box.w / columns, r * 3.4) +
        (i - 0.5) * r * 0.84,
      y: box.y + (box.h * (row + 0.5)) / rows - r * 0.08,
    };
  };
}

/** Where `count` discs lie on the centre's sun: one in the middle, up to four in a row or square, more in rings. */
export function centreSpots(S: SpiralLayout, count: number): { spots: Point[]; r: number } {
  const R = S.ri * 0.78;
  if (count <= 1) return { spots: [{ x: S.cx, y: S.cy }], r: S.disc };
  const r = Math.min(S.disc, R * (count <= 2 ? 0.46 : count <= 6 ? 0.34 : count <= 8 ? 0.27 : 0.24));
  const ring = (n: number, radius: number, turn: number): Point[] =>
    Array.from({ length: n }, (_, i) => {
      const t = turn + (i * 2 * Math.PI) / n;
      return { x: S.cx + radius * Math.cos(t), y: S.cy + radius * Math.sin(t) };
    });
  if (count <= 6)
    return { spots: ring(count, count === 2 ? r * 0.98 : R * 0.58, count === 2 ? Math.PI : -Math.PI / 2), r };
  if (count <= 8) return { spots: ring(count, R * 0.68, -Math.PI / 2), r };
  return { spots: [...ring(9, R * 0.71, -Math.PI / 2), ...ring(count - 9, count === 10 ? 0 : R * 0.28, 0)], r };
}
