/** The pair in the hand where no cube shows it: at rest before the first roll, and in staged moments. */
import { fill, ink, lip, shapeOf, type Colour } from '../../draw/colours';
import { die } from '../../draw/dice';
import { f1 } from '../../draw/svg';

/** The size of the pictures of a pair. */
export const PAIR_BOX = '0 0 230 72';

/** Two dice that lie on their corners: no face is up, so nothing was rolled. */
export const restingPair = (colour: Colour): string =>
  restingDie(colour, 36, 36, 33) + restingDie(colour, 108, 36, 33);
export const RESTING_BOX = '0 0 144 72';

/** A cube seen at its corner, with the seat's shape on all three sides. */
function restingDie(colour: Colour, x: number, y: number, r: number): string {
  const [w, h] = [r * 0.866, r / 2];
  const side = (path: string, shade: string, matrix: number[]) =>
    `<path d="${path}" fill="${fill(colour)}" stroke="${lip(colour)}" stroke-width="2.5" stroke-linejoin="round"/>` +
    `<path d="${path}" fill="${shade}"/>` +
    `<path d="${shapeOf(colour).d}" ` +
    `transform="matrix(${matrix.map((n) => Math.round(n * 1000) / 1000).join(' ')}) scale(.5)" fill="none" ` +
    `stroke="${ink(colour)}" stroke-width="11" stroke-opacity=".85"/>`;
  const k = 100;
  return (
    `<g transform="translate(${f1(x)} ${f1(y)})">` +
    `<ellipse cy="${f1(r * 0.95)}" rx="${f1(r * 0.8)}" ry="${f1(r * 0.16)}" fill="var(--shadow)"/>` +
    side(`M0 ${f1(-r)}L${f1(w)} ${f1(-h)}L0 0L${f1(-w)} ${f1(-h)}z`, 'rgba(255,255,255,.2)', [
      w / k,
      h / k,
      -w / k,
      h / k,
      0,
      -h,
    ]) +
    side(`M${f1(-w)} ${f1(-h)}L0 0V${f1(r)}L${f1(-w)} ${f1(h)}z`, 'none', [w / k, h / k, 0, r / k, -w / 2, h / 2]) +
    side(`M${f1(w)} ${f1(-h)}L0 0V${f1(r)}L${f1(w)} ${f1(h)}z`, 'rgba(0,0,0,.24)', [
      w / k,
      -h / k,
      0,
      r / k,
      w / 2,
      h / 2,
    ]) +
    '</g>'
  );
}

const SIZE = 50;
const [LEFT, RIGHT] = [52, 126];

/** Dice that shake, with echoes and strokes beside them; each X has a dotted ring. */
export function shakenPair(colour: Colour, dice: readonly [string, string]): string {
  const one = (face: string, x: number, rot: number) =>
    [-1, 1]
      .map(
        (i) =>
          `<g opacity=".26">${die(colour, face, x + i * 7, 10 - (i > 0 ? 2 : 0), SIZE, { rot: rot + i * 9 })}</g>`,
      )
      .join('') +
    die(colour, face, x, 10, SIZE, { rot }) +
    (face === 'X'
      ? `<circle cx="${x + SIZE / 2}" cy="35" r="35" fill="none" stroke="var(--out)" stroke-width="3" ` +
        'stroke-dasharray="2 8" stroke-linecap="round"/>'
      : '');
  const strokes = (x: number, s: number) =>
    [0, 1, 2]
      .map(
        (i) =>
          `<path d="M${x + s * i * 6} ${20 + i * 3}q${s * 6} ${14 - i * 3} 0 ${28 - i * 6}" fill="none" ` +
          'stroke="var(--edge)" stroke-width="2.2" stroke-linecap="round"/>',
      )
      .join('');
  const both = one(dice[0], LEFT, -9) + one(dice[1], RIGHT, 11);
  return `<g class="shake">${both}</g>${strokes(12, -1)}${strokes(218, 1)}`;
}

/** Dice that glow: a sun behind each. */
export function glowingPair(colour: Colour, dice: readonly [string, string]): string {
  const one = (face: string, x: number, rot: number) => {
    const rays = Array.from(
      { length: 12 },
      (_, i) =>
        `<path d="M-3 -33L0 -42L3 -33z" transform="translate(${x + SIZE / 2} 36) rotate(${i * 30})" ` +
        'fill="var(--sun)"/>',
    ).join('');
    return (
      `<g class="glow"><circle cx="${x + SIZE / 2}" cy="36" r="34" fill="var(--sun)" opacity=".45"/>${rays}` +
      `</g>${die(colour, face, x, 10, SIZE, { rot })}`
    );
  };
  return one(dice[0], LEFT - 6, -4) + one(dice[1], RIGHT + 6, 4);
}
