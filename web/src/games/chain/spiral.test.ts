import { describe, expect, it } from 'vitest';
import type { Colour } from '../../draw/colours';
import type { Box } from '../../draw/svg';
import { melodyLayout, rope, turnsOf } from './melody';
import { lift, stack, stackSpot } from './discs';
import { centreSpots, isSmall, plaque, plaqueBox, startSpots, drawTag, tagsOf, yardOf } from './places';
import { arrowLanes, arrowPath, bunting, numberBoxes, readBoard, spiral, spiralLayout, sunRays } from './spiral';

const shared = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

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
    for (let count = 2; count <= 12; count++)
      expect(lift(S, count) * (count - 1)).toBeLessThanOrEqual(S.disc * 1.2001);
  });
  it.each([315, 560])('are all named beside their stack on a spiral of %i px', (size) => {
    const T = spiralLayout({ size, length: 34 });
    const colours = ['red', 'blue', 'green', 'blue'] as const;
    const text =
      stack(T, 19, [...colours]) +
      tagsOf(T, [{ space: 19, colours: [...colours] }])
        .map(drawTag)
        .join('');
    expect(text).not.toMatch(/NaN|undefined/);
    expect(text.match(/var\(--halo\)/g)?.length).toBeGreaterThanOrEqual(7);
  });
  it('have badges on a small spiral and tabs on a large one', () => {
    const under = (size: number, colours: Colour[]) => {
      const T = spiralLayout({ size, length: 34 });
      return { small: isSmall(T), tags: tagsOf(T, [{ space: 19, colours }]) };
    };
    const pile: Colour[] = ['red', 'blue', 'green', 'yellow', 'black', 'white'];
    const badges = (size: number, colours: Colour[]) => under(size, colours).tags[0]?.badges.length;
    expect([under(315, pile).small, under(560, pile).small]).toEqual([true, false]);
    expect([badges(315, pile.slice(0, 3)), badges(315, pile), badges(560, pile)]).toEqual([2, 3, 0]);
    expect(under(315, pile).tags.map(drawTag).join('')).toContain('+3');
    expect(under(560, ['red']).tags).toEqual([]);
  });
  it.each([291, 315, 366, 560, 700])('are named where no plaque is covered, on a spiral of %i px', (size) => {
    const T = spiralLayout({ size, length: 34 });
    const spaces = [1, 3, 5, 8, 12, 15, 16, 19, 20, 22, 25, 26, 28, 30, 31, 33];
    for (const first of spaces)
      for (const second of spaces.filter((space) => space > first)) {
        const piles = [first, second, ...spaces.filter((_, i) => i % 3 === first % 3)]
          .filter((space, i, all) => all.indexOf(space) === i)
          .map((space) => ({
            space,
            colours: (space === first || space === second ? ['red', 'blue'] : ['green']) as Colour[],
          }));
        const plaques = piles.map(({ space, colours }) => plaqueBox(T, space, colours.length));
        for (const { box, pile } of tagsOf(T, piles))
          for (const [i, plate] of plaques.entries())
            expect(shared(box, plate), `${pile.space} on the plaque of ${piles[i]?.space}`).toBeLessThan(1);
      }
  });
  it.each([315, 366, 450, 560])('of a high stack are named beside the numbers of other spaces, at %i px', (size) => {
    const T = spiralLayout({ size, length: 34 });
    const numbers = numberBoxes(T, readBoard('34 7>11 10>5 14>19 17>12 21>26 24>18 27>30 32>25'));
    for (let space = 1; space < 34; space++)
      for (const { box } of tagsOf(T, [{ space, colours: ['red', 'blue', 'green', 'red'] }], numbers))
        for (const [n, number] of [...numbers].filter(([other]) => other !== space))
          expect(shared(box, number), `${space} on ${n}`).toBeLessThan(0.3 * number.w * number.h);
  });
  it('leave the number of their space visible', () => {
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
  it.each([
    [378, 323],
    [348, 299],
    [374, 420],
    [310, 280],
    [600, 700],
  ])('of any number of seats wait inside the start of a board of %i by %i', (w, h) => {
    const size = Math.min(w, h) - 8;
    for (let seats = 1; seats <= 6; seats++) {
      const yard = yardOf(
        { w, h, x: (w - size) / 2, y: (h - size) / 2 },
        Array.from({ length: seats }, (_, i) => i),
      );
      for (let seat = 0; seat < seats; seat++)
        for (const i of [0, 1]) {
          const p = yard.spot(seat, i);
          expect(p.x - yard.r).toBeGreaterThanOrEqual(yard.start.x - 0.5);
          expect(p.x + yard.r).toBeLessThanOrEqual(yard.start.x + yard.start.w + 0.5);
          expect(p.y - yard.r).toBeGreaterThanOrEqual(yard.start.y + yard.head - 2);
          expect(p.y + yard.r).toBeLessThanOrEqual(yard.start.y + yard.start.h);
        }
    }
  });
  it('lie apart at the centre', () => {
    for (let count = 2; count <= 12; count++) {
      const { spots, r } = centreSpots(S, count);
      for (const [i, p] of spots.entries())
        for (const q of spots.slice(i + 1))
          expect(Math.hypot(p.x - q.x, p.y - q.y), String(count)).toBeGreaterThan(r * 1.5);
    }
  });
});

describe('the melody', () => {
  it.each([1, 4, 7, 8, 12, 18])('of %i links ends before the numbers that may follow', (links) => {
    for (const [w, h] of [
      [356, 240],
      [356, 107],
      [326, 95],
      [266, 120],
    ] as const) {
      const L = melodyLayout({ w, h, links });
      expect(L.x(links - 1) + L.d / 2).toBeLessThanOrEqual(L.next(0) - L.cell / 2);
      expect(L.next(1) + L.cell / 2).toBeLessThanOrEqual(w);
      expect(L.y(6) - L.cell / 2).toBeGreaterThan(0);
      expect(L.y(6) - L.d / 2).toBeGreaterThan(0);
      expect(L.y(1) + L.d / 2).toBeLessThanOrEqual(h);
    }
  });
  it('keeps its heights when it gets long', () => {
    const [short, long] = [4, 18].map((links) => melodyLayout({ w: 356, h: 107, links }));
    expect(long?.y(6)).toBe(short?.y(6));
    expect(long?.d).toBeLessThan(short?.d ?? 0);
  });
  it('knows where it turned', () => {
    expect(turnsOf([4, 6, 5, 3])).toEqual([{ at: 1, up: false }]);
    expect(turnsOf([4, 4, 6, 6, 2, 1, 3])).toEqual([
      { at: 3, up: false },
      { at: 5, up: true },
    ]);
    expect(turnsOf([3, 3])).toEqual([]);
  });
  it('ropes all links', () => {
    expect(rope(melodyLayout({ w: 300, h: 130, links: 3 }), [2, 4, 6]).match(/[ML]/g)).toHaveLength(3);
  });
});
