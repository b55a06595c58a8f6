import { describe, expect, it } from 'vitest';
import { DIE_A, DIE_B, facesOf, sides } from './dice';
import { arrowPath, centreSpots, readBoard, spiral, spiralLayout } from './spiral';
import { stairLayout, stairs, windowOf } from './stairs';
import { tileOf } from './tiles';
import { towerLayout } from './tower';

describe('the stairs', () => {
  it.each([5, 20, 30, 31, 50])('of %i steps keep every shown piece inside the box', (finish) => {
    for (const follow of [0, Math.floor(finish / 2), finish]) {
      const L = stairLayout({ x: 0, w: 340, h: 700, finish, lanes: 6, follow });
      expect(follow).toBeGreaterThanOrEqual(L.first);
      expect(follow).toBeLessThanOrEqual(L.last);
      for (let n = L.first; n <= L.last; n++)
        for (let seat = 0; seat < 6; seat++) {
          expect(L.lane(n, seat) - L.r).toBeGreaterThan(0);
          expect(L.lane(n, seat) + L.r).toBeLessThan(340);
          expect(L.stand(n) - L.r).toBeGreaterThan(0);
          expect(L.stand(n)).toBeLessThan(700);
        }
      expect(stairs(L)).not.toMatch(/NaN|undefined/);
    }
  });
  it('keep six lanes apart', () => {
    const L = stairLayout({ x: 0, w: 340, h: 700, finish: 20, lanes: 6 });
    for (let seat = 1; seat < 6; seat++) expect(L.lane(20, seat) - L.lane(20, seat - 1)).toBeGreaterThan(2 * L.r);
  });
  it('show all up to 30 steps, and a window over that', () => {
    expect(windowOf(30, 29)).toEqual([0, 30]);
    expect(windowOf(50, 0)).toEqual([0, 24]);
    expect(windowOf(50, 50)).toEqual([26, 50]);
  });
});

describe('tiles', () => {
  it('differ from their neighbours in motif and glaze', () => {
    for (let n = 1; n < 60; n++) {
      expect(tileOf(n).glaze).not.toBe(tileOf(n - 1).glaze);
      expect(tileOf(n).motif).not.toBe(tileOf(n - 1).motif);
    }
  });
});

describe('the tower', () => {
  it('stacks its six fields without gaps, lowest at the bottom', () => {
    const T = towerLayout({ x: 0, w: 260, h: 700 });
    for (let f = 1; f <= 5; f++) expect(T.field(f).y + T.field(f).h).toBeCloseTo(T.field(f - 1).y, 3);
    expect(T.field(0).y + T.field(0).h).toBeLessThanOrEqual(700);
  });
});

describe('dice', () => {
  it('show for each value two faces that the two dice have', () => {
    for (const a of DIE_A)
      for (const b of DIE_B) {
        const [x, y] = [a, b].map((face) => (face === 'X' ? 0 : Number(face))) as [number, number];
        const value = 10 * Math.max(x, y) + Math.min(x, y);
        const [p, q] = facesOf(value);
        expect([p, q].sort()).toEqual([a, b].sort());
        expect(DIE_A).toContain(p);
        expect(DIE_B).toContain(q);
      }
  });
  it('have six sides with the wanted one in front', () => {
    expect(sides(DIE_A, '7')).toEqual(['7', 'X', '1', '2', '3', '4']);
  });
});

describe('the spiral', () => {
  it.each([18, 34, 60])('of %i spaces lies inside its square, evenly', (length) => {
    const S = spiralLayout({ size: 500, length });
    for (let n = 1; n < length; n++) {
      const p = S.space(n);
      expect(Math.min(p.x, p.y)).toBeGreaterThan(0);
      expect(Math.max(p.x, p.y)).toBeLessThan(500);
      if (n > 1) {
        const q = S.space(n - 1);
        expect(Math.hypot(p.x - q.x, p.y - q.y)).toBeGreaterThan(1.8 * S.disc);
      }
    }
    expect(Math.abs(S.pitch / S.gap - 0.8)).toBeLessThan(0.06);
  });
  it('reads a board and draws it without holes', () => {
    const board = readBoard('34 7>11 10>5');
    expect([...board.arrows]).toEqual([[7, 11], [10, 5]]);
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
