import { describe, expect, it } from 'vitest';
import { DIE_A, DIE_B, facesOf } from './dice';
import { stairLayout, stairs, windowOf } from './stairs';
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
        expect([p, q].toSorted()).toEqual([a, b].toSorted());
        expect(DIE_A).toContain(p);
        expect(DIE_B).toContain(q);
      }
  });
});
