import { describe, expect, it } from 'vitest';
import { centreSpots } from './places';
import { arrowPath, readBoard, spiral, spiralLayout } from './spiral';

describe('the spiral', () => {
  it.each([18, 34, 60])('of %i spaces lies inside its square, evenly', (length) => {
    const S = spiralLayout({ size: 500, length });
    for (let n = 1; n < length; n++) {
      const p = S.space(n);
      expect(Math.min(p.x, p.y)).toBeGreaterThan(0);
      expect(Math.max(p.x, p.y)).toBeLessThan(500);
    }
    for (let n = 2; n < length; n++) {
      const [p, q] = [S.space(n), S.space(n - 1)];
      expect(Math.hypot(p.x - q.x, p.y - q.y)).toBeGreaterThan(1.8 * S.disc);
    }
    expect(Math.abs(S.pitch / S.gap - 0.8)).toBeLessThan(0.06);
  });
  it('reads a board and draws it without holes', () => {
    const board = readBoard('34 7>11 10>5');
    expect([...board.arrows]).toEqual([
      [7, 11],
      [10, 5],
    ]);
    const S = spiralLayout({ size: 400, length: board.length });
    expect(spiral(S, board)).not.toMatch(/NaN|undefined/);
    expect(arrowPath(S, 7, 11).on).toBe(true);
    expect(arrowPath(S, 10, 5).on).toBe(false);
  });
  it('finds room for twelve discs at the centre', () => {
    const S = spiralLayout({ size: 400, length: 34 });
    for (let n = 1; n <= 12; n++) expect(centreSpots(S, n).spots).toHaveLength(n);
  });
});
