/** Chain's spiral: its layout from the board's data, and its drawing. */
import { glyphs } from '../../draw/glyphs';
import { f1, xy, type Box, type Point } from '../../draw/svg';

/** A board as data (C3): arrows lead from a space to another. */
export interface BoardData {
  length: number;
  arrows: ReadonlyMap<number, number>;
}

/** A board from its text: `34 7>11 10>5`. */
export function readBoard(text: string): BoardData {
  const [length, ...arrows] = text.trim().split(/\s+/);
  return {
    length: Number(length),
    arrows: new Map(arrows.map((pair) => pair.split('>').map(Number) as [number, number])),
  };
}

/** The text of a board; `readBoard` is the inverse. */
export const boardText = ({ length, arrows }: BoardData): string =>
  [length, ...[...arrows].toSorted(([a], [b]) => a - b).map(([from, to]) => `${from}>${to}`)].join(' ');

export interface Placement extends Point {
  /** The angle on the spiral, in radians. */
  a: number;
}

export interface SpiralLayout {
  size: number;
  cx: number;
  cy: number;
  ro: number;
  ri: number;
  gap: number;
  pitch: number;
  total: number;
  length: number;
  tile: { w: number; h: number };
  /** The radius of a disc. */
  disc: number;
  /** A point of the curve, `off` beside it. */
  at(t: number, off?: number): Placement;
  /** Where on the curve a space lies. */
  t(space: number): number;
  /** The middle of a space; the centre from `length` on. */
  space(space: number): Placement;
}

const INNER = 0.34;

export function spiralLayout({
  size,
  length,
  startAngle = 150,
  q = 0.8,
}: {
  size: number;
  length: number;
  startAngle?: number;
  q?: number;
}): SpiralLayout {
  // q: the distance along the track by the distance between its arms
  const turns = Math.sqrt((q * length * (1 - INNER)) / (Math.PI * (1 + INNER)));
  const a0 = (startAngle * Math.PI) / 180;
  const total = turns * 2 * Math.PI;
  const build = (cx: number, cy: number, ro: number): SpiralLayout => {
    const ri = ro * INNER;
    const gap = (ro - ri) / turns;
    const at = (t: number, off = 0): Placement => {
      const r = ro - ((ro - ri) * t) / total + off;
      return { x: cx + r * Math.cos(a0 + t), y: cy + r * Math.sin(a0 + t), a: a0 + t };
    };
    // equal steps along the curve, by its measured length
    const N = 2400;
    const len = [0];
    let before = at(0);
    for (let i = 1; i <= N; i++) {
      const p = at((total * i) / N);
      len.push((len[i - 1] ?? 0) + Math.hypot(p.x - before.x, p.y - before.y));
      before = p;
    }
    const pitch = (len[N] ?? 0) / (length - 1);
    const ts = [0];
    for (let n = 1, i = 0; n < length; n++) {
      while ((len[i] ?? 0) < (n - 0.4) * pitch && i < N) i++;
      ts.push((total * i) / N);
    }
    const t = (n: number) => ts[Math.max(0, Math.min(n, length - 1))] ?? 0;
    return {
      size,
      cx,
      cy,
      ro,
      ri,
      gap,
      pitch,
      total,
      length,
      at,
      t,
      tile: { w: pitch * 0.88, h: gap * 0.6 },
      disc: Math.min(pitch * 0.4, gap * 0.285),
      space: (n) => (n >= length ? { x: cx, y: cy, a: 0 } : at(t(n))),
    };
  };
  // first at unit size; then the box of the arms is centred in the square and fills it
  const unit = build(0, 0, 1);
  const points = Array.from({ length: 401 }, (_, i) => unit.at((unit.total * i) / 400 - 0.12, unit.gap * 0.5));
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const k = (size * 0.975) / Math.max(x1 - x0, y1 - y0);
  return build(size / 2 - (k * (x0 + x1)) / 2, size / 2 - (k * (y0 + y1)) / 2, k);
}

/** The way of a disc from space to space as a path. */
export function walkPath(S: SpiralLayout, spaces: number[]): string {
  return spaces
    .map((n, i) => {
      const p = S.space(n);
      return `${i ? 'L' : 'M'}${f1(p.x)} ${f1(p.y)}`;
    })
    .join('');
}

export interface Arrow {
  /** Whether it leads onward. */
  on: boolean;
  d: string;
  points: Point[];
  tip: Point;
  dir: number;
}

/** An arrow runs in the gutter beside the track: onward on the outer side, back on the inner side. */
export function arrowPath(S: SpiralLayout, from: number, to: number, lane = 0): Arrow {
  const on = to > from;
  const off = (on ? 1 : -1) * S.gap * (0.405 + 0.075 * lane);
  const ta = S.t(from);
  const tb = S.t(to);
  const lead = (S.pitch / (S.ro * 0.8)) * 0.34 * (on ? 1 : -1);
  const n = Math.max(26, Math.ceil(Math.abs(tb - ta) / 0.1));
  const points = Array.from({ length: n + 1 }, (_, i) => S.at(ta + lead + ((tb - ta - 2 * lead) * i) / n, off));
  const text = points.map((p) => `${f1(p.x)} ${f1(p.y)}`);
  const s = S.at(ta, off * 0.66);
  const c1 = S.at(ta + lead * 0.25, off);
  const e = S.at(tb, off * 0.74);
  const c2 = S.at(tb - lead * 0.2, off);
  const gutter = S.at(tb, off);
  return {
    on,
    d: `M${xy(s.x, s.y)}Q${xy(c1.x, c1.y)} ${text[0]}L${text.slice(1).join('L')}Q${xy(c2.x, c2.y)} ${xy(e.x, e.y)}`,
    points: [s, ...points, e],
    tip: e,
    dir: Math.atan2(e.y - gutter.y, e.x - gutter.x),
  };
}

/**
 * The lane of each arrow, by its start: those of one side that run beside each other keep apart, as far as there is
 * room.
 */
export function arrowLanes({ arrows }: BoardData): Map<number, number> {
  const lanes = new Map<number, number>();
  const spans = [...arrows].map(([from, to]) => ({
    from,
    on: to > from,
    low: Math.min(from, to),
    high: Math.max(from, to),
  }));
  spans.sort((a, b) => a.high - a.low - (b.high - b.low)); // the short ones stay close to the track
  for (const [i, span] of spans.entries()) {
    const beside = spans
      .slice(0, i)
      .filter((other) => other.on === span.on && other.low <= span.high && span.low <= other.high);
    lanes.set(
      span.from,
      Math.min(1, beside.length ? Math.max(...beside.map((other) => lanes.get(other.from) ?? 0)) + 1 : 0),
    );
  }
  return lanes;
}

/**
 * The board: pavement, track, stones, arrows, centre. `calm` leaves out numbers and the far pavement; `reach` is how
 * far from the centre the pavement goes.
 */
export function spiral(S: SpiralLayout, board: BoardData, { calm = false, reach = 0 } = {}): string {
  const { cx, cy, size, gap } = S;
  const out: string[] = [];
  // the pavement: rings of waves out to the corners, very quiet
  const ringWave = (R: number) => {
    const n = Math.max(6, Math.round((R / gap) * 7));
    return (
      Array.from({ length: n * 10 + 1 }, (_, i) => {
        const t = (i / (n * 10)) * 2 * Math.PI;
        const rr = R + Math.sin(t * n) * gap * 0.1;
        return `${i ? 'L' : 'M'}${f1(cx + rr * Math.cos(t))} ${f1(cy + rr * Math.sin(t))}`;
      }).join('') + 'z'
    );
  };
  for (let R = S.ri; R < (calm ? size * 0.49 : Math.max(size * 0.86, reach)); R += gap * 0.36)
    out.push(`<path d="${ringWave(R)}" fill="none" stroke="var(--pave-2)" stroke-width="${f1(gap * 0.12)}"/>`);
  // the track
  const M = 260;
  const line =
    Array.from({ length: M + 1 }, (_, i) => {
      const p = S.at(-0.14 + ((S.total + 0.14) * i) / M);
      return `${i ? 'L' : 'M'}${f1(p.x)} ${f1(p.y)}`;
    }).join('') + `L${f1(cx)} ${f1(cy)}`;
  const round = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';
  out.push(
    `<path d="${line}" ${round} stroke="var(--shadow-soft)" stroke-width="${f1(gap * 0.76)}" ` +
      'transform="translate(0 4)"/>',
    `<path d="${line}" ${round} stroke="var(--kerb)" stroke-width="${f1(gap * 0.7)}"/>`,
  );
  const docks = docksOf(board);
  for (let n = 1; n < S.length; n++) out.push(stone(S, n, board.arrows.get(n), docks.has(n) ? 1 : -1, calm));
  const lanes = arrowLanes(board);
  for (const [from, to] of board.arrows) out.push(arrow(S, from, to, lanes.get(from)));
  out.push(centre(S));
  return out.join('');
}

/** Where an onward arrow docks, the number is at the inner edge of its stone instead of the outer one. */
const docksOf = ({ arrows }: BoardData): Set<number> =>
  new Set([...arrows].flatMap(([from, to]) => (to > from ? [from, to] : [])));

const numberHeight = (S: SpiralLayout): number => Math.max(7.6, S.gap * 0.115);

/** The boxes of the numbers that are printed on the stones, by space. */
export function numberBoxes(S: SpiralLayout, board: BoardData): Map<number, Box> {
  const docks = docksOf(board);
  const h = numberHeight(S);
  return new Map(
    Array.from({ length: S.length - 1 }, (_, i): [number, Box] => {
      const n = i + 1;
      const { x, y } = S.at(S.t(n), (docks.has(n) ? -0.29 : 0.29) * S.tile.h);
      const w = h * (n > 9 ? 1.4 : 0.7);
      return [n, { x: x - w / 2, y: y - h / 2, w, h }];
    }),
  );
}

function stone(S: SpiralLayout, n: number, to: number | undefined, side: 1 | -1, calm: boolean): string {
  const p = S.space(n);
  const { w, h } = S.tile;
  const rot = (p.a * 180) / Math.PI + 90;
  const way = (to ?? 0) > n ? 1 : -1;
  const ground = to === undefined ? 'var(--stone)' : way > 0 ? 'var(--tile-on)' : 'var(--tile-back)';
  const a = h * 0.17;
  const petals = [0, 1, 2, 3]
    .map((i) => `<path transform="rotate(${i * 90 + (n % 2) * 45} 20 20)" d="M20 18Q13 9 20 1Q27 9 20 18z"/>`)
    .join('');
  const mark =
    to !== undefined
      ? [-1, 0, 1]
          .map(
            (i) =>
              `<path d="M${xy(i * w * 0.2 - way * a * 0.47, -a)}l${xy(way * a, a)}l${xy(-way * a, a)}" fill="none" ` +
              `stroke="var(--chevron)" stroke-width="${f1(h * 0.1)}" stroke-linejoin="round" stroke-linecap="round"/>`,
          )
          .join('')
      : `<g transform="scale(${f1(h * 1.45) / 100}) translate(-20 -20)" fill="var(--stone-mark)">${petals}</g>`;
  const number = calm ? '' : glyphs(n, 0, 0, numberHeight(S), 'var(--stone-ink)', 15);
  return (
    `<g transform="translate(${f1(p.x)} ${f1(p.y)}) rotate(${f1(rot)})">` +
    `<rect x="${f1(-w / 2)}" y="${f1(-h / 2)}" width="${f1(w)}" height="${f1(h)}" rx="${f1(h * 0.16)}" ` +
    `fill="${ground}" stroke="var(--stone-edge)" stroke-width="1.2"/>` +
    `<g transform="translate(0 ${f1(-side * h * 0.13)})">${mark}</g>` +
    `<g transform="translate(0 ${f1(side * h * 0.29)}) rotate(${f1(-rot)})">${number}</g></g>`
  );
}

function arrow(S: SpiralLayout, from: number, to: number, lane = 0): string {
  const { d, on, tip, dir } = arrowPath(S, from, to, lane);
  const w = Math.max(Math.min(3, S.gap * 0.09), S.gap * 0.062);
  const colour = on ? 'var(--arrow-on)' : 'var(--arrow-back)';
  const dashes = on ? 'stroke-linecap="round"' : `stroke-linecap="butt" stroke-dasharray="${xy(w * 1.5, w * 0.8)}"`;
  const px = tip.x + Math.cos(dir) * w * 0.6;
  const py = tip.y + Math.sin(dir) * w * 0.6;
  const head = (k: number) =>
    [0, 2.3, -2.3]
      .map(
        (turn, i) =>
          (i ? 'L' : 'M') + xy(px + Math.cos(dir + turn) * w * 2.3 * k, py + Math.sin(dir + turn) * w * 2.3 * k),
      )
      .join('') + 'z';
  return (
    `<path d="${d}" fill="none" stroke="var(--kerb)" stroke-width="${f1(w * 2.1)}" stroke-linecap="round"/>` +
    `<path d="${head(1.3)}" fill="var(--kerb)" stroke="var(--kerb)" stroke-width="${f1(w)}" ` +
    'stroke-linejoin="round"/>' +
    `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${f1(w)}" ${dashes}/>` +
    `<path d="${head(1)}" fill="${colour}" stroke="${colour}" stroke-width="${f1(w * 0.5)}" stroke-linejoin="round"/>`
  );
}

/** The rays of the centre's sun, around the origin. */
export function sunRays({ ri }: SpiralLayout): string {
  const R = ri * 0.78;
  const p = (angle: number, r: number) => `${f1(Math.cos(angle) * r)} ${f1(Math.sin(angle) * r)}`;
  const d = Array.from({ length: 16 }, (_, i) => {
    const t = (i * Math.PI) / 8;
    return `M${p(t - 0.11, R * 0.6)}L${p(t, R * (i % 2 ? 0.82 : 0.94))}L${p(t + 0.11, R * 0.6)}z`;
  }).join('');
  return `<path d="${d}" fill="var(--b5)"/>`;
}

/** Tiles around the centre; they light in the winner's colour. */
export function bunting({ cx, cy, ri }: SpiralLayout): string {
  const R = ri * 0.78 + 3;
  const k = Math.max(5, ri * 0.085);
  return Array.from({ length: 24 }, (_, i) => {
    const t = (i * Math.PI) / 12;
    const x = f1(cx + R * Math.cos(t));
    const y = f1(cy + R * Math.sin(t));
    return (
      `<rect x="${f1(x - k / 2)}" y="${f1(y - k / 2)}" width="${f1(k)}" height="${f1(k)}" rx="1.2" ` +
      `transform="rotate(${i * 15 + 45} ${x} ${y})" fill="var(--lit)" stroke="var(--halo)" stroke-width="1.2"/>`
    );
  }).join('');
}

/** The centre: a sun of tiles. */
function centre(S: SpiralLayout): string {
  const { cx, cy, ri } = S;
  const R = ri * 0.78;
  const at = `cx="${f1(cx)}" cy="${f1(cy)}"`;
  return (
    `<circle cx="${f1(cx)}" cy="${f1(cy + 3)}" r="${f1(R + 7)}" fill="var(--shadow)"/>` +
    `<circle ${at} r="${f1(R + 6)}" fill="var(--kerb)"/><circle ${at} r="${f1(R)}" fill="var(--g5)"/>` +
    `<g transform="translate(${f1(cx)} ${f1(cy)})">${sunRays(S)}</g>` +
    `<circle ${at} r="${f1(R * 0.56)}" fill="var(--b5)"/>` +
    `<circle ${at} r="${f1(R * 0.46)}" fill="none" stroke="var(--g5)" stroke-width="1.5" ` +
    'stroke-dasharray="2 4"/>'
  );
}
