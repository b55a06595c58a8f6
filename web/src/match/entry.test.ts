import { expect, test } from 'vitest';
import { assigned, diceOf, kept, type EntryDie } from './entry';

const die = (faces: string): EntryDie => ({ faces: [...faces], marks: 'glyph', own: true });
const pair = [die('12347X'), die('12356X')];

test('faces go to dice that have them, in whatever order they are typed', () => {
  expect(assigned(pair, ['6'], true)).toEqual(['', '6']);
  expect(assigned(pair, ['6', '2'], true)).toEqual(['2', '6']);
  expect(assigned(pair, ['2', '7'], true)).toEqual(['7', '2']);
  expect(assigned(pair, ['5', '6'], true)).toBeNull();
  expect(assigned(pair, ['1', '2', '3'], true)).toBeNull();
});

test('what was tapped is kept for the moment in which it was', () => {
  const tapped = { moment: 'm 1', faces: ['2', ''] };
  expect(kept(pair, tapped, 'm 1')).toEqual(['2', '']);
  expect(kept(pair, tapped, 'm 2')).toEqual(['', '']);
  expect(kept(pair, { ...tapped, faces: ['5', ''] }, 'm 1')).toEqual(['', '']);
  expect(kept(pair, null, 'm 1')).toEqual(['', '']);
});

test('dice that are alike are entered one after the other', () => {
  const three = diceOf({}, [[...'123456'], [...'123456'], [...'123456']], null);
  expect(three.map(({ marks }) => marks)).toEqual(['pool', 'pool', 'pool']);
  expect(assigned(three, ['4', '1'], false)).toEqual(['4', '1', '']);
  expect(assigned(three, ['7'], false)).toBeNull();
});
