import { describe, expect, it } from 'vitest';
import { coloursOf, offered, resized, usualForm, wish, withColours, type MatchForm } from './form';

const asked = (form: MatchForm, count = 1) =>
  wish(
    'rapido',
    form,
    coloursOf(form, count),
    (colour) => colour.toUpperCase(),
    () => 'ab',
  );

describe('what is asked for', () => {
  it('starts at once against bots', () => {
    const { open, late } = asked(usualForm('bots'));
    expect(open).toMatchObject({
      options: { players: 4 },
      bots: ['regular', 'regular', 'regular'],
      start: true,
      settings: { practice: true, starts: 'first' },
    });
    expect(open.people).toEqual([{ name: 'RED', seat: 0, colours: ['red'], entropy: 'ab' }]);
    expect(late).toEqual([]);
  });
  it('offers the levels, and leaves the other bots to programs', () => {
    expect(offered(['random', 'simple', 'tourist', 'regular'])).toEqual(['tourist', 'regular']);
  });
  it('turns the seats until the first one starts', () => {
    const { open } = asked({ ...usualForm('device'), first: 2 });
    expect(open.people?.map(({ seat }) => seat)).toEqual([0, 1, 2]);
    expect(open.people?.[0]?.name).toBe(coloursOf({ ...usualForm('device'), first: 2 }, 1)[2]?.[0]?.toUpperCase());
  });
  it('waits for those who come by the link, and seats bots where they were put', () => {
    const form = usualForm('online');
    form.seats[2]!.who = 'bot random';
    const { open, late } = asked(form);
    expect(open).toMatchObject({ start: false, bots: [] });
    expect(late).toEqual([{ seat: 2, bot: 'random' }]);
  });
  it('replaces nobody who has days for a turn', () => {
    expect(asked({ ...usualForm('online'), clock: 86_400 }).open.settings?.grace).toBeNull();
    expect(asked(usualForm('online')).open.settings).not.toHaveProperty('grace');
  });
});

describe('colours', () => {
  it('are dealt as the server deals them', () => {
    expect(coloursOf(usualForm('bots'), 1)).toEqual([['red'], ['blue'], ['green'], ['yellow']]);
    expect(coloursOf(resized(usualForm('bots'), 'bots', 2), 2)).toEqual([
      ['red', 'green'],
      ['blue', 'yellow'],
    ]);
  });
  it('are exchanged with the person who has them; a bot takes what is left', () => {
    const device = withColours(usualForm('device'), 0, ['green']);
    expect(coloursOf(device, 1)).toEqual([['green'], ['blue'], ['red']]);
    const bots = withColours(usualForm('bots'), 0, ['blue']);
    expect(coloursOf(bots, 1)).toEqual([['blue'], ['white'], ['green'], ['yellow']]);
  });
  it('that were chosen for another number of players are dealt anew', () => {
    expect(coloursOf(resized(withColours(usualForm('bots'), 0, ['white']), 'bots', 2), 2)).toEqual([
      ['red', 'green'],
      ['blue', 'yellow'],
    ]);
  });
});
