/** Where the pieces stand on a step: each in its own lane, and apart from each other. */
import type { Point } from '../../draw/svg';

/** What of a staircase is needed to stand on it. */
export interface Ground {
  cx: number;
  /** Half the size of a piece. */
  r: number;
  /** Whether a crowded step has a second row of pieces, behind the first. */
  rows: boolean;
  width(step: number): number;
  /** The height of the centre of a piece in the front row. */
  stand(step: number): number;
}

/** The number of pieces on a step from which there are two rows. */
export const CROWD = 4;
/** The distance of two pieces, in radii. */
const APART = 2.6;
/** The height of the second row above the first, in radii. */
const BEHIND = 1.7;

/** The most pieces on one step; `more` has steps that will have another piece. */
export function crowdOf(steps: readonly number[], more: readonly number[] = []): number {
  const count = (step: number) => steps.filter((other) => other === step).length;
  return Math.max(1, ...steps.map(count), ...more.map((step) => count(step) + 1));
}

/** The largest radius at which this number of pieces fits on a step of this width and pitch. */
export function radius(width: number, pitch: number, crowd: number): number {
  const rows = crowd >= CROWD;
  const across = rows ? Math.ceil(crowd / 2) : crowd;
  const high = rows ? 0.27 : 0.43;
  return Math.min(pitch * high, (width * 0.8) / (APART * across), 18);
}

/** Where the pieces of these seats stand on one step. The seats are in ascending order. */
export function standing(ground: Ground, step: number, seats: readonly number[], lanes: number): Map<number, Point> {
  const rows = ground.rows && seats.length >= CROWD ? [0, 1] : [0];
  const places = new Map<number, Point>();
  for (const row of rows) {
    const here = seats.filter((_, i) => rows.length === 1 || i % 2 === row);
    const y = ground.stand(step) - row * BEHIND * ground.r;
    spread(ground, step, here, lanes).forEach((x, i) => places.set(here[i] ?? 0, { x, y }));
  }
  return places;
}

/** Where all pieces stand. */
export function standingAll(ground: Ground, steps: readonly number[]): Map<number, Point> {
  const seats = steps.map((_, seat) => seat);
  return new Map(
    [...new Set(steps)].flatMap((step) => [
      ...standing(
        ground,
        step,
        seats.filter((seat) => steps[seat] === step),
        steps.length,
      ),
    ]),
  );
}

/** Own lanes first; then neighbours push each other apart, and none leaves the step. */
function spread({ cx, r, width }: Ground, step: number, seats: readonly number[], lanes: number): number[] {
  const wide = width(step) * 0.9;
  const [low, high] = [cx - wide / 2 + r, cx + wide / 2 - r];
  const least = Math.min(APART * r, (high - low) / Math.max(1, seats.length - 1));
  const xs = seats.map((seat) => cx + wide * ((seat + 0.5) / lanes - 0.5));
  for (let round = 0; round < 60; round++) {
    for (let i = 1; i < xs.length; i++) {
      const [left, right] = [xs[i - 1] ?? 0, xs[i] ?? 0];
      const lack = least - (right - left);
      if (lack > 0) {
        xs[i - 1] = left - lack / 2;
        xs[i] = right + lack / 2;
      }
    }
    xs.forEach((x, i) => (xs[i] = Math.min(high, Math.max(low, x))));
  }
  return xs;
}
