/** A position of Rapido as its text; whether it can be is the server's to say. */
import { DIE_A, DIE_B } from './dice';
import type { RapidoState } from '../../protocol';

const digit = (face: string) => (face === 'X' ? 0 : Number(face));

/** What two faces show: the higher digit first. */
export function valueOf(faces: string): number {
  const digits = [...faces].map(digit);
  return 10 * Math.max(...digits) + Math.min(...digits);
}

/** All that two dice can show. */
export const VALUES: number[] = [...new Set(DIE_A.flatMap((a) => DIE_B.map((b) => valueOf(a + b))))].toSorted(
  (a, b) => a - b,
);

export function textOf({ turn, phase, value, steps, tower }: RapidoState): string {
  const pairs = tower.map((pair) => (pair.field ? `${pair.field}:${pair.seat}:${pair.value}` : `0:${pair.seat}`));
  return `turn=${turn} phase=${phase} value=${value} steps=${steps.join(',')} tower=${pairs.join(',') || '-'}`;
}
