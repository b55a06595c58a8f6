import { describe, expect, it } from 'vitest';
import { melodyLayout, rope, turnsOf } from './melody';
import { arrowLanes, arrowPath, bunting, centreSpots, lift, plaque, readBoard, spiral, spiralLayout, stack, stackSpot, startSpots, sunRays } from './spiral';

describe('the spiral', () => {
  it.each([18, 26, 34, 39, 60])('of %i spaces keeps discs and neighbours apart', (length) => {
    const S = spiralLayout({ size: 560, length });
    for (let n = 1; n < length; n++)
      for (let m = n + 1; m < length; m++) {
        const [p, q] = [S.space(n), S.space(m)];
        expect(Math.hypot(p.x - q.x, p.y - q.y), `${n} and ${m}`).toBeGreaterThan(2 * S.disc * 0.95);
      }
  });
  it('draws any board without holes', () => {
    for (const text of ['18', '18 3>6 5>2 9>13 16>10', '60 4>9 8>2 3>40 59>1 2>58']) {
      const board = readBoard(text);
      const S = spiralLayout({ size: 366, length: board.length });
      expect(spiral(S, board, { reach: 500 }) + sunRays(S) + bunting(S)).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
  it('keeps arrows that run beside each other apart', () => {
    const lanes = arrowLanes(readBoard('34 5>20 8>15 30>10 24>22'));
    expect([lanes.get(8), lanes.get(5)]).toEqual([0, 1]);
    expect([lanes.get(24), lanes.get(30)]).toEqual([0, 1]);
    const S = spiralLayout({ size: 400, length: 34 });
    expect(arrowPath(S, 5, 20, 1).d).not.toBe(arrowPath(S, 5, 20).d);
  });
  it('makes a long arrow round', () => {
    const S = spiralLayout({ size: 400, length: 60 });
    expect(arrowPath(S, 3, 40).points.length).toBeGreaterThan(80);
  });
});

describe('discs', () => {
  const S = spiralLayout({ size: 400, length: 34 });
  it('rise in a stack, but never much higher than a disc', () => {
    expect(stackSpot(S, 9, 1, 2).y).toBeCloseTo(S.space(9).y - S.disc * 0.3);
    for (let count = 2; count <= 12; count++) expect(lift(S, count) * (count - 1)).toBeLessThanOrEqual(S.disc * 1.2001);
  });
  it('are all named by the tab of their stack', () => {
    const text = stack(S, 19, ['red', 'blue', 'green', 'blue']);
    expect(text).not.toMatch(/NaN|undefined/);
    expect(text.match(/var\(--halo\)/g)?.length).toBeGreaterThanOrEqual(7);
  });
  it('leave the number of their space in sight', () => {
    for (let n = 1; n < 34; n++) for (const count of [1, 4]) expect(plaque(S, n, count)).not.toMatch(/NaN/);
  });
  it.each([1, 2, 3, 4, 5, 6])('of %i seats wait inside their box', (seats) => {
    const box = { x: 10, y: 20, w: 92, h: 46 };
    const spot = startSpots(box, seats, 9);
    for (let seat = 0; seat < seats; seat++)
      for (const i of [0, 0.5, 1]) {
        const p = spot(seat, i);
        expect(p.x - 9).toBeGreaterThanOrEqual(box.x - 2);
        expect(p.x + 9).toBeLessThanOrEqual(box.x + box.w + 2);
        expect(p.y - 9).toBeGreaterThanOrEqual(box.y);
        expect(p.y + 9).toBeLessThanOrEqual(box.y + box.h);
      }
  });
  it('lie apart at the centre', () => {
    for (let count = 2; count <= 12; count++) {
      const { spots, r } = centreSpots(S, count);
      for (const [i, p] of spots.entries())
        for (const q of spots.slice(i + 1)) expect(Math.hypot(p.x - q.x, p.y - q.y), String(count)).toBeGreaterThan(r * 1.5);
    }
  });
});

describe('the melody', () => {
  it.each([1, 4, 7, 18])('of %i links ends before the numbers that may follow', (links) => {
    for (const [w, h] of [[356, 188], [266, 120]] as const) {
      const L = melodyLayout({ w, h, links });
      expect(L.x(links - 1) + L.d / 2).toBeLessThanOrEqual(L.next(0, 2) - L.cell / 2);
      expect(L.next(1, 2) + L.cell / 2).toBeLessThanOrEqual(w);
      expect(L.y(6) - L.cell / 2).toBeGreaterThan(0);
      expect(L.y(1) + L.d / 2).toBeLessThanOrEqual(h);
    }
  });
  it('knows where it turned', () => {
    expect(turnsOf([4, 6, 5, 3])).toEqual([{ at: 1, up: false }]);
    expect(turnsOf([4, 4, 6, 6, 2, 1, 3])).toEqual([{ at: 3, up: false }, { at: 5, up: true }]);
    expect(turnsOf([3, 3])).toEqual([]);
  });
  it('ropes all links', () => {
    expect(rope(melodyLayout({ w: 300, h: 130, links: 3 }), [2, 4, 6]).match(/[ML]/g)).toHaveLength(3);
  });
});
