import { describe, expect, it } from 'vitest';
import { crowdOf, standing, standingAll } from './pieces';
import { stairLayout } from './stairs';
import { towerLayout } from './tower';
import {
  isWindowed,
  miniBox,
  miniStairs,
  pills,
  stepsShown,
  towerShare,
  windowBox,
  windowLayout,
  windowOn,
  windowSteps,
  windowWith,
} from './window';

/** The boards of two short phones, 390 by 664 and 360 by 600. */
const PHONES = [
  { w: 376, h: 374, count: 9, below: 3 },
  { w: 346, h: 310, count: 8, below: 2 },
];

describe('the window on the stairs', () => {
  it.each(PHONES)('of $count steps reaches from $below below the piece to five above it', ({ count, below }) => {
    expect(windowOn([12, 3, 18], 0, 20, count)).toEqual({
      lo: 12 - below,
      hi: 12 - below + count,
      above: [2],
      below: [1],
    });
  });
  it.each(PHONES)('of $count steps is pushed in at both ends', ({ count }) => {
    expect(windowOn([0], 0, 20, count)).toMatchObject({ lo: 0, hi: count });
    expect(windowOn([20], 0, 20, count)).toMatchObject({ lo: 21 - count, hi: 21 });
    expect(windowOn([4], 0, 5, 6)).toMatchObject({ lo: 0, hi: 6 });
  });
  it('shows every climb that a field brings, and a fall of two', () => {
    for (const { count } of PHONES)
      for (let me = 0; me <= 20; me++) {
        const { lo, hi } = windowOn([me], 0, 20, count);
        expect(lo).toBeLessThanOrEqual(Math.max(0, me - 2));
        expect(hi).toBeGreaterThan(Math.min(20, me + 5));
      }
  });
  it('moves no further than needed', () => {
    expect(windowWith(4, 6, 9, 20, 9)).toBe(4); // all of it is inside
    expect(windowWith(4, 11, 15, 20, 9)).toBe(7);
    expect(windowWith(9, 4, 6, 20, 9)).toBe(4);
    expect(windowWith(9, 12, 11, 20, 9)).toBe(9);
    expect(windowWith(0, 18, 20, 20, 9)).toBe(12);
  });
  it('shows where a move ends if it is too long to be shown whole', () => {
    expect(windowWith(0, 1, 10, 20, 9)).toBe(2);
    expect(windowWith(10, 12, 2, 20, 9)).toBe(2);
  });
  it('is used in boxes in which the whole stairs cannot be read', () => {
    for (const { w, h, count } of PHONES) {
      expect(isWindowed(w, h, 20)).toBe(true);
      expect(stepsShown(h, 20)).toBe(count);
    }
    expect(isWindowed(376, 452, 20)).toBe(false); // a tall phone
    expect(isWindowed(376, 452, 50)).toBe(true);
    expect(isWindowed(900, 320, 20)).toBe(false);
    expect(stepsShown(374, 5)).toBe(6);
  });
  it.each(PHONES)('of $count steps has pitches and rows as high as drawn', ({ w, h, count }) => {
    const L = windowLayout(windowBox(w, h), { lo: 9, count, finish: 20, crowd: 2 });
    expect(Math.round(L.pitch)).toBe(count === 9 ? 40 : 37);
    expect(L.r).toBeGreaterThan(15);
    const T = towerLayout({ x: 0, w: towerShare(w), h, head: 0.076 });
    expect(T.field(3).h).toBeGreaterThanOrEqual(45);
    expect(T.field(3).h).toBeLessThanOrEqual(56);
  });
  it('draws all steps of any staircase', () => {
    for (const finish of [5, 20, 50]) {
      const count = stepsShown(374, finish);
      const { lo } = windowOn([finish], 0, finish, count);
      const L = windowLayout(windowBox(376, 374), { lo, count, finish, crowd: 6 });
      const drawn =
        windowSteps(L, 'w', 'wave') +
        miniStairs(miniBox(374), L, [{ colour: 'red', step: 0 }]) +
        pills(L, [{ colour: 'red', step: 0 }], false, []);
      expect(drawn).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});

describe('pills', () => {
  it('stand below each other where a wide one would cover a piece', () => {
    const L = windowLayout(windowBox(376, 374), { lo: 2, count: 9, finish: 20, crowd: 2 });
    const outside = [11, 14].map((step) => ({ colour: 'red' as const, step }));
    const drawn = (x: number) => pills(L, outside, true, [{ x, y: L.stand(10) }]).match(/class="pill"/g)?.length;
    expect([drawn(-100), drawn(L.box.x + L.box.w * 0.3)]).toEqual([1, 2]);
  });
});

describe('pieces on one step', () => {
  const layouts = [1, 2, 3, 4, 5, 6].map((crowd) => ({
    crowd,
    L: windowLayout(windowBox(376, 374), { lo: 0, count: 9, finish: 20, crowd }),
  }));
  it.each(layouts)('do not cover each other: $crowd of them', ({ crowd, L }) => {
    const spots = [
      ...standing(
        L,
        3,
        Array.from({ length: crowd }, (_, seat) => seat),
        6,
      ).values(),
    ];
    expect(spots).toHaveLength(crowd);
    for (const [i, a] of spots.entries()) {
      expect(a.x - L.r).toBeGreaterThan(L.cx - L.width(3) / 2);
      expect(a.x + L.r).toBeLessThan(L.cx + L.width(3) / 2);
      for (const b of spots.slice(0, i)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(1.7 * L.r);
    }
  });
  it('are at least 10 px in radius with six players', () => {
    for (const { L } of layouts) expect(L.r).toBeGreaterThan(10);
  });
  it('keep to their lanes where there is room', () => {
    const { L } = layouts[1]!;
    const spots = standingAll(L, [3, 5, 3, 0, 0, 8]);
    expect(spots.get(0)!.x).toBeLessThan(spots.get(2)!.x);
    expect(spots.get(5)!.x).toBeGreaterThan(L.cx);
  });
  it('are counted with those that may come', () => {
    expect(crowdOf([1, 1, 4])).toBe(2);
    expect(crowdOf([1, 1, 4], [4, 1])).toBe(3);
  });
  it('are larger on the whole stairs too where few stand together', () => {
    const box = { x: 0, w: 210, h: 450, finish: 20, lanes: 6 };
    expect(stairLayout({ ...box, crowd: 2 }).r).toBeGreaterThan(stairLayout(box).r);
    expect(stairLayout({ ...box, crowd: 6 }).r).toBe(stairLayout(box).r);
  });
});
