/** The dice tower: white plaster, six niches; field 0 is the broad foot. */
import { die, facesOf } from './dice';
import { glyphs } from './glyphs';
import { token, type Colour } from './seats';
import { esc, f1, type Box } from './svg';

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

export function towerLayout({ x, w, h, bottomPad = 8 }: { x: number; w: number; h: number; bottomPad?: number }): TowerLayout {
  const roof = h * 0.105;
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
  /** null shows blank faces: on field 0 the value does not matter. */
  value: number | null;
  ghost?: boolean;
}

/** The path of a niche's opening. */
export function hole({ x, y, w, h }: Box, round: boolean): string {
  const r = round ? Math.min(h * 0.42, w / 2) : 9;
  return `M${f1(x)} ${f1(y + h)}V${f1(y + r)}Q${f1(x)} ${f1(y)} ${f1(x + r)} ${f1(y)}H${f1(x + w - r)}Q${f1(x + w)} ${f1(y)} ${f1(x + w)} ${f1(y + r)}V${f1(y + h)}z`;
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
    `<rect x="${f1(bx + 8)}" y="${f1(top)}" width="${f1(bw)}" height="${f1(foot.y - top)}" fill="var(--shadow-soft)"/>`,
    `<rect x="${f1(bx)}" y="${f1(top - 2)}" width="${f1(bw)}" height="${f1(foot.y - top + 4)}" fill="var(--tower)"/>`,
    `<rect x="${f1(bx + bw * 0.93)}" y="${f1(top - 2)}" width="${f1(bw * 0.07)}" height="${f1(foot.y - top + 4)}" fill="var(--tower-2)"/>`,
  );
  // a roof of clay tiles
  const rx = x - w * 0.005;
  const rw = w * 1.01;
  const n = 9;
  const s = rw / n;
  out.push(`<path d="M${f1(x + w * 0.24)} ${f1(roof * 0.3)}H${f1(x + w * 0.76)}L${f1(rx + rw)} ${f1(top - 4)}H${f1(rx)}z" fill="var(--roof)"/>`);
  for (let i = 1; i < n; i++)
    out.push(`<path d="M${f1(x + w * 0.24 + (w * 0.52 * i) / n)} ${f1(roof * 0.3)}L${f1(rx + s * i)} ${f1(top - 6)}" stroke="var(--roof-2)" stroke-width="2"/>`);
  for (let i = 0; i < n; i++)
    out.push(`<path d="M${f1(rx + s * i)} ${f1(top - 6)}a${f1(s / 2)} ${f1(s / 2)} 0 0 0 ${f1(s)} 0z" fill="${i % 2 ? 'var(--roof)' : 'var(--roof-2)'}"/>`);
  out.push(
    `<rect x="${f1(x + w * 0.22)}" y="${f1(roof * 0.22)}" width="${f1(w * 0.56)}" height="${f1(roof * 0.14)}" rx="3" fill="var(--roof-2)"/>`,
    `<rect x="${f1(foot.x)}" y="${f1(foot.y)}" width="${f1(foot.w)}" height="${f1(foot.h)}" rx="6" fill="var(--tower-2)"/><rect x="${f1(foot.x)}" y="${f1(foot.y)}" width="${f1(foot.w)}" height="7" rx="3" fill="var(--tower-3)"/>`,
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
        `<path d="M${f1(box.x)} ${f1(box.y + box.h)}H${f1(box.x + box.w)}" stroke="var(--tower-3)" stroke-width="4" stroke-linecap="round"/>` +
        `<rect x="${f1(mx - m)}" y="${f1(my - m)}" width="${f1(2 * m)}" height="${f1(2 * m)}" rx="${f1(m * 0.3)}" fill="var(--plate)"/>` +
        `<rect x="${f1(mx - m + 2.5)}" y="${f1(my - m + 2.5)}" width="${f1(Math.max(0, 2 * m - 5))}" height="${f1(Math.max(0, 2 * m - 5))}" rx="${f1(m * 0.2)}" fill="none" stroke="var(--plate-ink)" stroke-opacity=".6"/>` +
        glyphs(f, mx, my, m * 1.1, 'var(--plate-ink)', 16),
    );
  }
  return out.join('');
}

/** Where pair `i` of `count` lies in a niche: the upper left corner of its first die, and a die's edge. */
export function pairSpot(box: Box, i: number, count: number): { x: number; y: number; s: number; lone: boolean } {
  const lone = count <= 1;
  const cell = box.w / Math.max(1, count);
  const s = Math.min(box.h * 0.58, cell * (lone ? 0.29 : 0.38), 56);
  const shift = lone ? s * 0.46 : 0; // room for the token beside the dice
  return { x: box.x + cell * (i + 0.5) - (s * 2.12) / 2 + shift, y: box.y + box.h - s * 1.14, s, lone };
}

/** A pair with its token, drawn around the origin of its spot: (0, 0) is the first die's upper left corner. */
export function pair({ colour, value, ghost = false }: ShownPair, s: number, lone: boolean): string {
  const [a, b] = facesOf(value);
  return (
    die(colour, a, 0, 0, s, { rot: -4, ghost }) +
    die(colour, b, s * 1.12, 0, s, { rot: 3, ghost }) +
    (lone ? token(colour, -s * 0.56, s * 0.6, s * 0.34, { ghost }) : token(colour, s * 1.06, -s * 0.3, s * 0.3, { ghost }))
  );
}

/** The tag on a pair that would be thrown out. */
export function outTag(box: Box, text: string): string {
  const big = box.h > 56;
  const th = big ? 21 : 16;
  const tw = Math.max(big ? 50 : 36, text.length * 7 + 14);
  return (
    `<rect x="${f1(box.x + box.w - tw + 4)}" y="${f1(box.y - th * 0.4)}" width="${tw}" height="${th}" rx="${th / 2}" fill="var(--out)"/>` +
    `<text x="${f1(box.x + box.w - tw / 2 + 4)}" y="${f1(box.y + th * 0.28)}" text-anchor="middle" class="tag" fill="var(--paper)">${esc(text)}</text>`
  );
}
