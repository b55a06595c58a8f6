import { describe, expect, it } from 'vitest';
import { lessonAt, tableOf } from './newcomer';

describe('a lesson opened from a table', () => {
  it('leads back there', () => {
    expect(lessonAt('rapido')).toBe('/learn/rapido');
    expect(lessonAt('rapido', 'a_B-1')).toBe('/learn/rapido?table=a_B-1');
    expect(tableOf('?table=a_B-1')).toBe('/t/a_B-1');
  });
  it.each(['', '?table=', '?table=//evil.example', '?table=a/b', '?other=1'])('%s has no table', (search) =>
    expect(tableOf(search)).toBe(''),
  );
});
