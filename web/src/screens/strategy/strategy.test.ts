import { describe, expect, it } from 'vitest';
import { ruleText, strictness } from './strategy';
import { Texts } from '../../texts/texts.svelte';

const texts = new Texts('en', {
  'strategy.rapido.from': '{field} from {value} up',
  'strategy.rapido.fields': 'Stop on {least}.',
  'strategy.rapido.chase': 'Chase {field} with {value}.',
});

describe('a rule of thumb', () => {
  it('lists its least values, the highest field first', () => {
    expect(ruleText(texts, 'rapido', { name: 'fields', args: {}, least: { 3: 63, 5: 72, 4: 70 }, loss: 0.1 })).toBe(
      'Stop on 5 from 72 up, 4 from 70 up, and 3 from 63 up.',
    );
  });
  it('has its own numbers', () => {
    expect(ruleText(texts, 'rapido', { name: 'chase', args: { field: 3, value: 62 }, least: {}, loss: 0.1 })).toBe(
      'Chase 3 with 62.',
    );
  });
});

it('a chart is shaded between its least and its most', () => {
  const tint = strictness({
    name: 'first',
    kind: 'value',
    rows: [],
    columns: [],
    cells: [
      [20, null],
      [40, 60],
    ],
    right: 1,
  });
  expect([20, 40, 60, null].map(tint)).toEqual([0, 0.5, 1, null]);
});
