import { describe, expect, it } from 'vitest';
import { usualMove, type MoveChoice } from './moves';
import type { Going } from './script';

const move = (id: number, by: number, winner?: number): MoveChoice => ({
  id,
  action: `move ${id}`,
  going: { from: id, end: id + by, home: false } as Going,
  facts: winner === undefined ? [] : [{ kind: 'won', ruling: 'C6', seat: winner }],
  under: [],
});

describe('the disc that is proposed', () => {
  it('is the one that gets farthest', () => expect(usualMove([move(9, 2), move(3, 4)], 0)?.id).toBe(3));
  it('of two, the one behind', () => expect(usualMove([move(9, 4), move(3, 4)], 0)?.id).toBe(3));
  it('lets nobody else win', () => expect(usualMove([move(9, 2), move(3, 4, 1)], 0)?.id).toBe(9));
  it('wins if it can', () => expect(usualMove([move(9, 2, 0), move(3, 4)], 0)?.id).toBe(9));
});
