import { describe, expect, it } from 'vitest';
import { Texts } from '../../texts/texts.svelte';
import { fieldChoices } from './choices';

const texts = new Texts('en', {
  'web.rapido.worth': '+{field} if it stays',
  'web.rapido.worth.two': '+{climb} with both pairs',
  'web.rapido.safe.long': 'Safe',
  'web.rapido.throws_out': 'throws out',
  'web.rapido.nobody': 'throws out nobody',
  'play.preview.rapido.won': 'then {name} wins',
  'web.coach.wins': 'wins',
  'web.coach.wins.best': 'wins most often',
});
const seats = [{ colours: ['red'] }, { colours: ['blue'] }, { colours: ['green'] }];
const out = { kind: 'threw_out', ruling: 'R14', seat: 0, victim: 1, field: 4, value: 51 };
const known = {
  legal: ['again', 'place 0', 'place 5', 'place 3'],
  previews: { 'place 3': { facts: [out], rolls: {} } },
  seats,
  names: ['Ana', 'Clara', 'Dora'],
  wins: {},
  tower: [],
  lying: [],
  you: 0,
};

describe('the fields to choose from', () => {
  it('come from the highest to the lowest, with whom they throw out', () => {
    const choices = fieldChoices(known, texts);
    expect(choices.map(({ field }) => field)).toEqual([5, 3, 0]);
    expect(choices.map(({ outs }) => outs)).toEqual([[], [{ colours: 'blue', name: 'Clara' }], []]);
    expect(choices.map(({ words }) => words)).toEqual([
      '5: +5 if it stays, throws out nobody',
      '3: +3 if it stays, throws out Clara',
      '0: Safe, throws out nobody',
    ]);
  });
  it('show thrown-out pairs in their own color, and name a player once (R17)', () => {
    const [clara, both] = [
      ['blue', 'yellow'],
      [out, { ...out, field: 3 }],
    ];
    const tower = [
      { seat: 1, field: 4, colour: 1 },
      { seat: 1, field: 3, colour: 0 },
    ];
    const two = [{ colours: ['red', 'green'] }, { colours: clara }];
    const previews = { 'place 3': { facts: both, rolls: {} } };
    const choice = fieldChoices({ ...known, seats: two, previews, tower }, texts)[1]!;
    expect(choice.outs.map(({ colours }) => colours)).toEqual(['yellow', 'blue']);
    expect(choice.words).toBe('3: +3 with both pairs, throws out Clara');
  });
  it('warn if another player wins then (R15)', () => {
    const won = { kind: 'won', ruling: 'R15', seat: 1 };
    const [five, three] = fieldChoices({ ...known, previews: { 'place 5': { facts: [won], rolls: {} } } }, texts);
    expect([five!.loses, three!.loses]).toEqual(['then Clara wins', '']);
    expect(five!.words).toContain('then Clara wins');
  });
  it('say how often they win, if that is known', () => {
    const choices = fieldChoices({ ...known, wins: { again: 0.2, 'place 5': 0.3, 'place 3': 0.31 } }, texts);
    expect(choices.map(({ win, best }) => [win, best])).toEqual([
      [0.3, false],
      [0.31, true],
      [undefined, false],
    ]);
    expect(choices[1]!.words).toContain('31% wins most often');
  });
  it('say with two players that both pairs must be placed (R18)', () => {
    const [five] = fieldChoices({ ...known, seats: seats.slice(0, 2) }, texts);
    expect(five!.what).toBe('+5 with both pairs');
  });
  it('add up both pairs of two players (R18)', () => {
    const two = { ...known, seats: seats.slice(0, 2), lying: [4] };
    expect(fieldChoices(two, texts).map(({ what }) => what)).toEqual([
      '+9 with both pairs',
      '+7 with both pairs',
      '+4 with both pairs',
    ]);
  });
});
