/** The tower of six dice fields: white plaster, a niche each; field 0 is the broad foot. */
import { die } from '../../draw/dice';
import { glyphs } from '../../draw/glyphs';
import { fill, ink, lip, token, type Colour } from '../../draw/colours';
import { esc, f1, xy, type Box } from '../../draw/svg';

export interface TowerLayout {
  x: number;
  w: number;
  h: number;
  roof: number;
  /** The row of a field. */
  field(field: number): Box;
  /** The hole in the row in which pairs lie. */
  niche(field: number): Box;
}

export function towerLayout({
  x,
  w,
  h,
  bottomPad = 8,
  head = 0.105,
}: {
  x: number;
  w: number;
  h: number;
  bottomPad?: number;
  /** The share of the height that the roof has. */
  head?: number;
}): TowerLayout {
  const roof = h * head;
  const foot = h - bottomPad;
  const fh = (foot - roof) / 6.12;
  const field = (f: number): Box => ({
    x: x + (f ? w * 0.06 : 0),
    y: foot - (f + 1) * fh - (f ? fh * 0.12 : 0) - (f ? 0 : fh * 0.12),
    w: f ? w * 0.88 : w,
    h: f ? fh : fh * 1.12,
  });
  const niche = (f: number): Box => {
    const q = field(f);
    const m = plateSize(q);
    const nx = q.x + m * 2.5 + 6;
    return { x: nx, y: q.y + q.h * 0.1, w: q.w - (nx - q.x) - m * 0.7, h: q.h * 0.84 };
  };
  return { x, w, h, roof, field, niche };
}

const plateSize = (row: Box): number => Math.min(row.h * 0.25, row.w * 0.1, 17);

/** A pair of dice as it lies in a niche. */
export interface ShownPair {
  colour: Colour;
  /** The faces; null if nobody here saw them (field 0 after a reload). */
  dice: readonly [string, string] | null;
  value: number;
  ghost?: boolean;
}

/** The path of a niche's opening. */
export function hole({ x, y, w, h }: Box, round: boolean): string {
  const r = round ? Math.min(h * 0.42, w / 2) : 9;
  const left = `M${xy(x, y + h)}V${f1(y + r)}Q${xy(x, y)} ${xy(x + r, y)}`;
  return `${left}H${f1(x + w - r)}Q${xy(x + w, y)} ${xy(x + w, y + r)}V${f1(y + h)}z`;
}

/** The tower without what lies in it. */
export function tower(T: TowerLayout): string {
  const { x, w, roof } = T;
  const out: string[] = [];
  const top = T.field(5).y;
  const bx = x + w * 0.06;
  const bw = w * 0.88;
  const foot = T.field(0);
  out.push(
    `<rect x="${f1(bx + 8)}" y="${f1(top)}" width="${f1(bw)}" height="${f1(foot.y - top)}" ` +
      'fill="var(--shadow-soft)"/>',
    `<rect x="${f1(bx)}" y="${f1(top - 2)}" width="${f1(bw)}" height="${f1(foot.y - top + 4)}" fill="var(--tower)"/>`,
    `<rect x="${f1(bx + bw * 0.93)}" y="${f1(top - 2)}" width="${f1(bw * 0.07)}" ` +
      `height="${f1(foot.y - top + 4)}" fill="var(--tower-2)"/>`,
  );
  // a roof of clay tiles
  const rx = x - w * 0.005;
  const rw = w * 1.01;
  const n = 9;
  const s = rw / n;
  out.push(
    `<path d="M${f1(x + w * 0.24)} ${f1(roof * 0.3)}H${f1(x + w * 0.76)}L${f1(rx + rw)} ${f1(top - 4)}` +
      `H${f1(rx)}z" fill="var(--roof)"/>`,
  );
  for (let i = 1; i < n; i++)
    out.push(
      `<path d="M${f1(x + w * 0.24 + (w * 0.52 * i) / n)} ${f1(roof * 0.3)}L${f1(rx + s * i)} ${f1(top - 6)}" ` +
        'stroke="var(--roof-2)" stroke-width="2"/>',
    );
  for (let i = 0; i < n; i++)
    out.push(
      `<path d="M${f1(rx + s * i)} ${f1(top - 6)}a${f1(s / 2)} ${f1(s / 2)} 0 0 0 ${f1(s)} 0z" ` +
        `fill="${i % 2 ? 'var(--roof)' : 'var(--roof-2)'}"/>`,
    );
  out.push(
    `<rect x="${f1(x + w * 0.22)}" y="${f1(roof * 0.22)}" width="${f1(w * 0.56)}" height="${f1(roof * 0.14)}" ` +
      'rx="3" fill="var(--roof-2)"/>',
    `<rect x="${f1(foot.x)}" y="${f1(foot.y)}" width="${f1(foot.w)}" height="${f1(foot.h)}" rx="6" ` +
      `fill="var(--tower-2)"/><rect x="${f1(foot.x)}" y="${f1(foot.y)}" width="${f1(foot.w)}" height="7" rx="3" ` +
      'fill="var(--tower-3)"/>',
  );
  for (let f = 5; f >= 0; f--) {
    const q = T.field(f);
    const m = plateSize(q);
    const box = T.niche(f);
    const d = hole(box, f > 0);
    const mx = q.x + m + 6;
    const my = q.y + q.h * 0.54;
    out.push(
      `<path d="${d}" fill="var(--niche)"/><path d="${d}" fill="none" stroke="var(--niche-2)" stroke-width="2.5"/>` +
        `<path d="M${f1(box.x)} ${f1(box.y + box.h)}H${f1(box.x + box.w)}" stroke="var(--tower-3)" ` +
        'stroke-width="4" stroke-linecap="round"/>' +
        `<rect x="${f1(mx - m)}" y="${f1(my - m)}" width="${f1(2 * m)}" height="${f1(2 * m)}" ` +
        `rx="${f1(m * 0.3)}" fill="var(--plate)"/>` +
        `<rect x="${f1(mx - m + 2.5)}" y="${f1(my - m + 2.5)}" width="${f1(Math.max(0, 2 * m - 5))}" ` +
        `height="${f1(Math.max(0, 2 * m - 5))}" rx="${f1(m * 0.2)}" fill="none" stroke="var(--plate-ink)" ` +
        'stroke-opacity=".6"/>' +
        glyphs(f, mx, my, m * 1.1, 'var(--plate-ink)', 16),
    );
  }
  return out.join('');
}

/** Where a pair lies in a niche. */
export interface PairSpot {
  /** The upper left corner of its first die. */
  x: number;
  y: number;
  /** The edge of a die. */
  s: number;
  /** A single pair has its token beside the dice, two have it above; three or more show their values only. */
  look: 'beside' | 'above' | 'value';
  /** Half the size of the token. */
  r: number;
}

/** Where pair `i` of `count` lies in a niche. */
export function pairSpot(box: Box, i: number, count: number): PairSpot {
  const cell = box.w / Math.max(1, count);
  const middle = box.x + cell * (i + 0.5);
  if (count > 2) {
    const w = Math.min(cell * 0.92, 46);
    const high = valueHeight(w);
    const r = Math.min(cell * 0.42, (box.h - high - 7) / 2, 12);
    return { x: middle - w / 2, y: box.y + box.h - high - 5, s: w / PAIR, look: 'value', r };
  }
  const lone = count <= 1;
  const s = Math.min(box.h * 0.58, cell * (lone ? 0.29 : 0.38), 56);
  const shift = lone ? s * 0.46 : 0; // room for the token beside the dice
  const y = box.y + box.h - s * 1.14;
  return { x: middle - (s * PAIR) / 2 + shift, y, s, look: lone ? 'beside' : 'above', r: s * (lone ? 0.34 : 0.3) };
}

/** The width of a pair, in edges of a die. */
const PAIR = 2.12;
const valueHeight = (w: number) => Math.min(w * 0.8, 22);

/** A pair with its token, drawn around the origin of its spot: (0, 0) is the first die's upper left corner. */
export function pair({ colour, dice, value, ghost = false }: ShownPair, { s, look, r }: PairSpot): string {
  const w = s * PAIR;
  if (look === 'value')
    return (
      plaque(colour, dice ? String(value) : '-', w, valueHeight(w), ghost) + token(colour, w / 2, -r, r, { ghost })
    );
  return (
    (dice
      ? die(colour, dice[0], 0, 0, s, { rot: -4, ghost }) + die(colour, dice[1], s * 1.12, 0, s, { rot: 3, ghost })
      : plaque(colour, '-', w, s, ghost)) +
    (look === 'beside' ? token(colour, -s * 0.56, s * 0.6, r, { ghost }) : token(colour, s * 1.06, -r, r, { ghost }))
  );
}

/** A pair as one piece: its value, or a dash for a pair whose dice nobody here saw. */
function plaque(colour: Colour, text: string, w: number, h: number, ghost: boolean): string {
  const rx = f1(h * 0.22);
  const digit = Math.min(h * 0.6, (w / Math.max(2, text.length)) * 0.95);
  const size = `width="${f1(w)}" height="${f1(h)}" rx="${rx}"`;
  return (
    `<g${ghost ? ' opacity=".62"' : ''}><rect y="${f1(h * 0.1)}" ${size} fill="${lip(colour)}"/>` +
    `<rect ${size} fill="${fill(colour)}" stroke="${colour === 'black' ? '#8A8390' : lip(colour)}"/>` +
    glyphs(text, w / 2, h / 2, digit, ink(colour), 17) +
    (ghost
      ? `<rect x="-1.5" y="-1.5" width="${f1(w + 3)}" height="${f1(h * 1.1 + 3)}" rx="${rx}" fill="none" ` +
        'stroke="var(--preview)" stroke-width="2" stroke-dasharray="5 3"/>'
      : '') +
    '</g>'
  );
}

/** The tag on a pair that would be thrown out. */
export function outTag(box: Box, text: string): string {
  const big = box.h > 56;
  const th = big ? 21 : 16;
  const tw = Math.max(big ? 50 : 36, text.length * 7 + 14);
  return (
    `<rect x="${f1(box.x + box.w - tw + 4)}" y="${f1(box.y - th * 0.4)}" width="${tw}" height="${th}" ` +
    `rx="${th / 2}" fill="var(--out)"/>` +
    `<text x="${f1(box.x + box.w - tw / 2 + 4)}" y="${f1(box.y + th * 0.28)}" text-anchor="middle" ` +
    `class="tag" fill="var(--paper)">${esc(text)}</text>`
  );
}
