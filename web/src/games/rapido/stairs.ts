/** The staircase: pure layout first, then drawing. */
import { glyphs } from '../../draw/glyphs';
import { f1, xy, type Box } from '../../draw/svg';
import { tileOf, tiled } from '../../draw/tiles';
import type { Ground } from './pieces';

/** Over `MOST` steps only a window of `WINDOW` is shown, which follows the turn. */
export const MOST = 30;
export const WINDOW = 24;

export interface StairBox {
  x: number;
  w: number;
  h: number;
  finish: number;
  /** How many pieces stand side by side. */
  lanes: number;
  /** The share of the height above the last step. */
  head?: number;
  /** The step that should be seen, where not all fit. */
  follow?: number;
  /** The most pieces that stand on one step. */
  crowd?: number;
}

export interface StairLayout extends Ground {
  x: number;
  w: number;
  h: number;
  top: number;
  /** The size of what stands on the last step: sun and arch. */
  crown: number;
  bottom: number;
  foot: number;
  pitch: number;
  riser: number;
  tread: number;
  /** The lowest and the highest step that are shown. */
  first: number;
  last: number;
  finish: number;
  /** The front edge of a step. */
  y(step: number): number;
  /** The middle of a seat's lane. */
  lane(step: number, seat: number): number;
}

/** The first and the last step to show: all of them, or a window with `follow` in its lower half. */
export function windowOf(finish: number, follow: number): [number, number] {
  if (finish <= MOST) return [0, finish];
  const first = Math.max(0, Math.min(finish - WINDOW, Math.floor((follow - 6) / 5) * 5));
  return [first, first + WINDOW];
}

export function stairLayout({
  x,
  w,
  h,
  finish,
  lanes,
  head = 0.15,
  follow = 0,
  crowd = lanes,
}: StairBox): StairLayout {
  const [first, last] = windowOf(finish, follow);
  const shown = last - first;
  const foot = Math.max(16, h * 0.042);
  const bottom = h - foot;
  const crown = h * head;
  const pitch = Math.min((bottom - crown) / shown, Math.max(30, h * 0.085)); // few steps are not stretched
  const top = bottom - pitch * shown;
  const cx = x + w / 2;
  const wide = w * 0.8;
  const riser = pitch * 0.68;
  // lanes of their own for all, or larger pieces where few stand on one step
  const r = Math.min(pitch * 0.6, (wide * 0.73) / Math.min(lanes * 2.5, crowd * 3.25), 26);
  const y = (step: number) => bottom - (step - first) * pitch;
  const width = (step: number) => wide * (1 - (0.27 * Math.min(Math.max(step - first, 0), shown)) / shown);
  return {
    x,
    w,
    h,
    cx,
    top,
    crown,
    bottom,
    foot,
    pitch,
    riser,
    tread: pitch - riser,
    first,
    last,
    finish,
    r,
    rows: false,
    y,
    width,
    lane: (step, seat) => cx + width(step) * 0.88 * ((seat + 0.5) / lanes - 0.5),
    stand: (step) => y(step) - r * 0.82,
  };
}

/** A pot with broad leaves. */
export function plant(x: number, y: number, s: number, flip: 1 | -1 = 1): string {
  const leaf = (angle: number, l: number, colour: string) =>
    `<path transform="rotate(${angle})" ` +
    `d="M0 0C${f1(-l * 0.22)} ${f1(-l * 0.4)} ${f1(-l * 0.16)} ${f1(-l * 0.8)} 0 ${f1(-l)}` +
    `C${f1(l * 0.16)} ${f1(-l * 0.8)} ${f1(l * 0.22)} ${f1(-l * 0.4)} 0 0z" fill="${colour}"/>`;
  const leaves: [number, number][] = [
    [-58, 0.8],
    [52, 0.75],
    [-32, 1],
    [30, 1.05],
    [-4, 1.15],
  ];
  return (
    `<g transform="translate(${f1(x)} ${f1(y)}) scale(${flip} 1)">` +
    leaves
      .map(([angle, l], i) =>
        leaf(
          angle,
          s * l,
          i % 2 ? 'color-mix(in srgb,var(--leaf) 74%,var(--hill-2))' : 'color-mix(in srgb,var(--leaf) 88%,#000)',
        ),
      )
      .join('') +
    `<path d="M${f1(-s * 0.32)} ${f1(-s * 0.06)}H${f1(s * 0.32)}L${f1(s * 0.23)} ${f1(s * 0.46)}` +
    `H${f1(-s * 0.23)}z" fill="var(--cobalt)"/>` +
    `<path d="M${f1(-s * 0.36)} ${f1(-s * 0.1)}H${f1(s * 0.36)}V${f1(s * 0.06)}H${f1(-s * 0.36)}z" ` +
    'fill="var(--tower)"/></g>'
  );
}

/** Sky, hills and the sun (or the moon) above the last step. `id` keeps pictures of one page apart. */
export function sky(L: StairLayout, W: number, id = 'sky'): string {
  const { cx, top, crown, h } = L;
  const X = (share: number) => f1(W * share);
  const Y = (share: number) => f1(crown * share);
  const at = `cx="${f1(cx)}" cy="${f1(top - crown * 0.34)}"`;
  const disc =
    `<circle ${at} r="${Y(0.3)}" fill="var(--sun)" opacity=".95"/>` +
    `<circle ${at} r="${Y(0.42)}" fill="var(--sun)" opacity=".22"/>`;
  const low = top > crown * 1.2; // over few steps it stands before the hills
  return (
    `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop stop-color="var(--sky-1)"/>` +
    '<stop offset=".62" stop-color="var(--sky-2)"/></linearGradient></defs>' +
    `<rect width="${f1(W)}" height="${f1(h)}" fill="url(#${id})"/>` +
    (low ? '' : disc) +
    `<path d="M0 ${Y(1.5)}C${X(0.06)} ${Y(0.95)} ${X(0.12)} ${Y(0.8)} ${X(0.16)} ${Y(0.84)}` +
    `S${X(0.26)} ${Y(1.5)} ${X(0.36)} ${Y(1.3)}S${X(0.55)} ${Y(0.9)} ${X(0.62)} ${Y(1.1)}` +
    `S${X(0.72)} ${Y(0.2)} ${X(0.8)} ${Y(0.24)}S${X(0.9)} ${Y(1.2)} ${X(1)} ${Y(1.05)}V${f1(h)}H0z" ` +
    'fill="var(--hill-1)"/>' +
    `<path d="M0 ${Y(2.1)}C${X(0.2)} ${Y(1.2)} ${X(0.4)} ${Y(2.3)} ${X(0.6)} ${Y(1.75)}` +
    `S${X(0.9)} ${Y(1.5)} ${X(1)} ${Y(1.8)}V${f1(h)}H0z" fill="var(--hill-2)"/>` +
    (low ? disc : '')
  );
}

/** Black and white stones in waves, in the box 0..80 by 0..40. */
const WAVES =
  '<path d="M0 0H80V40H0z" fill="var(--tread)"/>' +
  '<path d="M0 8C14-4 26-4 40 8S66 20 80 8V20C66 32 54 32 40 20S14 8 0 20zM0 32C14 20 26 20 40 32' +
  'S66 44 80 32V44H0z" fill="var(--pave)"/>';

/** The pavement of the start. */
export function pavement(W: number, H: number, height: number, id = 'wave'): string {
  return (
    `<defs><pattern id="${id}" patternUnits="userSpaceOnUse" y="${f1(H - height)}" ` +
    `width="${f1(height * 1.8)}" height="${f1(height)}" viewBox="0 0 80 40" preserveAspectRatio="none">` +
    `${WAVES}</pattern></defs>` +
    `<rect y="${f1(H - height)}" width="${f1(W)}" height="${f1(height)}" fill="url(#${id})"/>`
  );
}

/** The pavement to print: without a pattern, which browsers print as a coarse bitmap. */
export function printedPavement(box: Box): string {
  const { x, y, w, h } = box;
  const count = Math.ceil(w / (h * 1.8));
  const waves = Array.from({ length: count }, (_, i) => `<g transform="translate(${i * 80})">${WAVES}</g>`);
  return (
    `<svg x="${f1(x)}" y="${f1(y)}" width="${f1(w)}" height="${f1(h)}">` +
    `<g transform="scale(${(h * 1.8) / 80} ${h / 40})">` +
    `${waves.join('')}</g></svg>`
  );
}

/**
 * The steps with their walls, plaques and the arch. `id` keeps the patterns of several pictures apart; `wave` is the
 * pavement's, null to print without patterns.
 */
export function stairs(L: StairLayout, id = 't', wave: string | null = 'wave'): string {
  const { cx, y, width, riser, tread, pitch, first, last, finish, bottom, h, crown, w } = L;
  const half = (n: number) => width(n) / 2;
  const wall = w * 0.098;
  const atFinish = last === finish;
  const out: string[] = [];

  const side = (s: 1 | -1) => {
    let d = `M${f1(cx + s * half(first))} ${f1(h)}`;
    for (let n = first; n <= last; n++) d += `L${f1(cx + s * half(n))} ${f1(y(n) + riser)}V${f1(y(n))}`;
    d += `L${f1(cx + s * (half(last) + wall * 0.7))} ${f1(y(last) - pitch * 0.7)}`;
    return `${d}L${f1(cx + s * (half(first) + wall))} ${f1(bottom - pitch * 0.6)}V${f1(h)}z`;
  };
  out.push(
    `<path d="M${f1(cx - half(first))} ${f1(h)}V${f1(bottom)}L${f1(cx - half(last))} ${f1(y(last))}` +
      `H${f1(cx + half(last))}L${f1(cx + half(first))} ${f1(bottom)}V${f1(h)}z" fill="var(--wall-3)"/>`,
  );
  for (const s of [-1, 1] as const) {
    out.push(
      `<path d="${side(s)}" fill="var(--wall)"/><path ` +
        `d="M${f1(cx + s * (half(first) + wall))} ${f1(h)}V${f1(bottom - pitch * 0.6)}` +
        `L${f1(cx + s * (half(last) + wall * 0.7))} ${f1(y(last) - pitch * 0.7)}" fill="none" ` +
        'stroke="var(--wall-3)" stroke-width="4"/>',
    );
  }
  const x0 = f1(cx - half(first));
  const x1 = f1(cx + half(first));
  if (first === 0) {
    out.push(
      `<path d="M${x0} ${f1(bottom - tread)}H${x1}V${f1(h)}H${x0}z" fill="var(--tread)"/>` +
        (wave === null
          ? printedPavement({ x: x0, y: bottom + 2, w: x1 - x0, h: h - bottom - 2 })
          : `<path d="M${x0} ${f1(bottom + 2)}H${x1}V${f1(h)}H${x0}z" fill="url(#${wave})"/>`) +
        `<path d="M${x0} ${f1(bottom)}H${x1}" stroke="var(--edge)" stroke-opacity=".5" stroke-width="2"/>`,
    );
  } else {
    // the stairs go on below the picture
    const size = width(first) / Math.max(6, Math.round(width(first) / riser));
    const box = { x: cx - half(first), y: bottom, w: width(first), h: h - bottom };
    out.push(
      tiled(`${id}${first}`, tileOf(first - 1), size, box, wave === null),
      `<path d="M${x0} ${f1(bottom)}H${x1}L${f1(cx + half(first + 1))} ${f1(bottom - tread)}` +
        `H${f1(cx - half(first + 1))}z" fill="var(--tread)"/>`,
    );
  }
  for (let n = first + 1; n <= last; n++) {
    const wn = width(n);
    const left = f1(cx - wn / 2);
    const right = f1(cx + wn / 2);
    const up = width(n + 1) / 2;
    const size = wn / Math.max(6, Math.round(wn / riser));
    const box = { x: cx - wn / 2, y: y(n), w: wn, h: riser };
    out.push(
      tiled(`${id}${n}`, tileOf(n - 1), size, box, wave === null), // the riser behind step n - 1
      `<rect x="${left}" y="${f1(y(n))}" width="${f1(wn)}" height="${f1(Math.max(2, riser * 0.16))}" ` +
        'fill="var(--wall-3)" opacity=".34"/>',
      `<path d="M${left} ${f1(y(n))}H${right}L${f1(cx + up)} ${f1(y(n) - tread)}H${f1(cx - up)}z" ` +
        'fill="var(--tread)"/>',
      `<path d="M${left} ${f1(y(n))}H${right}" stroke="var(--halo)" stroke-opacity=".55" stroke-width="1.2"/>`,
      `<path d="M${f1(cx - up)} ${f1(y(n) - tread)}H${f1(cx + up)}" stroke="var(--edge)" stroke-opacity=".45" ` +
        'stroke-width="1.6"/>',
    );
  }
  // number plaques on the left wall; landings are larger
  for (let n = first; n <= last; n++) {
    const big = n % 5 === 0 || n === finish;
    const ph = Math.min(pitch * (big ? 0.88 : 0.7), 22);
    const pw = ph * 1.5;
    const px = cx - half(n) - wall * 0.5;
    const py = y(n) - pitch * 0.48;
    out.push(
      `<rect x="${f1(px - pw / 2)}" y="${f1(py - ph / 2)}" width="${f1(pw)}" height="${f1(ph)}" ` +
        `rx="${f1(ph * 0.24)}" fill="${big ? 'var(--halo)' : 'var(--wall-2)'}"/>` +
        glyphs(n, px, py, ph * 0.56, big ? '#2B211A' : '#FFEBD3', big ? 17 : 16),
    );
  }
  if (atFinish) out.push(arch(cx, y(finish) - tread, Math.min(width(finish) * 0.46, crown * 0.62), crown * 0.86));
  return out.join('');
}

/** The finish: a white arch in front of the sun, with bunting of tiles. */
export function arch(cx: number, ay: number, aw: number, ah: number): string {
  const inner = aw * 0.74;
  const k = aw * 0.09;
  const pillar = (s: 1 | -1) => `M${f1(cx + s * aw)} ${f1(ay)}V${f1(ay - ah * 0.5)}H${f1(cx + s * inner)}V${f1(ay)}z`;
  const bow = `M${xy(cx - aw, ay - ah * 0.48)}A${xy(aw, ah * 0.5)} 0 0 1 ${xy(cx + aw, ay - ah * 0.48)}`;
  const colours = ['--p-red', '--p-blue', '--p-yellow', '--p-green'];
  const bunting = Array.from({ length: 9 }, (_, i) => {
    const t = Math.PI * (1 - i / 8);
    const ax = cx + Math.cos(t) * aw * 0.87;
    const yy = ay - ah * 0.48 - Math.sin(t) * ah * 0.435;
    return (
      `<rect class="bunting" x="${f1(ax - k / 2)}" y="${f1(yy - k / 2)}" width="${f1(k)}" height="${f1(k)}" ` +
      `rx="1.5" transform="rotate(45 ${f1(ax)} ${f1(yy)})" fill="var(--lit, var(${colours[i % 4]}))"/>`
    );
  }).join('');
  return (
    `<path d="${pillar(-1)}${pillar(1)}" fill="var(--tower)"/>` +
    `<path d="${bow}H${f1(cx + inner)}` +
    `A${f1(inner)} ${f1(ah * 0.37)} 0 0 0 ${f1(cx - inner)} ${f1(ay - ah * 0.48)}z" fill="var(--tower)"/>` +
    `<path d="${bow}" fill="none" stroke="var(--tower-3)" stroke-width="1.5"/>${bunting}`
  );
}
