import { describe, expect, it } from 'vitest';
import { DIE_PIPS, sides } from './dice';
import { tileOf } from './tiles';

describe('tiles', () => {
  it('differ from their neighbours in motif and glaze', () => {
    for (let n = 1; n < 60; n++) {
      expect(tileOf(n).glaze).not.toBe(tileOf(n - 1).glaze);
      expect(tileOf(n).motif).not.toBe(tileOf(n - 1).motif);
    }
  });
});

describe('dice', () => {
  it('have six sides with the wanted one in front', () => {
    expect(sides(DIE_PIPS, '5')).toEqual(['5', '6', '1', '2', '3', '4']);
  });
});
