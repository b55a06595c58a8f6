import { describe, expect, it } from 'vitest';
import { negotiate, Texts } from './texts.svelte';

const CATALOGUE = {
  plain: 'Field {field}, {dice[0]} and {dice[1]} {{sic}}',
  'g.fact.moved': { forms: ['{name} moves {links} space.', '{name} moves {links} spaces.'], counted: 'links' },
  'g.fact.moved.no_start': '{name} starts.',
  'g.fact.rolled.coloured': '{name} rolls in colour.',
  'g.fact.rolled': '{name} rolls {number}.',
  'g.fact.covered': '{name} covers {victim}.',
  'g.fact.covered.you': 'You cover {victim}.',
  'g.fact.covered.to_you': '{name} covers you.',
  'g.fact.covered.self.you': 'You cover your own.',
  'g.fact.rolled.you': 'You rolled {number}.',
  'play.preview.g.won': 'then {name} wins',
  'play.preview.g.won.you': 'then you win',
  'g.fact.covered.self': '{name} covers their own.',
  'g.fact.failed': '{name} cannot link {numbers}.',
  'g.fact.turned': '{name} goes {heading}.',
  'g.word.up': 'upwards',
  'g.action.move': 'Move {number}',
  'g.action.move.no_number': 'Move from the start',
  'error.over': 'It is over.',
  'web.error.other': 'That did not work.',
};
const en = new Texts('en', CATALOGUE);
const fact = (kind: string, data: object = {}) => ({ kind, ruling: 'T1', seat: 0, ...data });
const say = (kind: string, data: object = {}, texts = en) => texts.fact('g', fact(kind, data), ['Ana', '{name}']);

describe('texts', () => {
  it('fill in placeholders as Python does', () => {
    expect(en.lookup('plain', { field: 3, dice: '7X' })).toBe('Field 3, 7 and X {sic}');
  });
  it('choose the plural by the language', () => {
    expect(say('moved', { start: 2, links: 1 })).toBe('Ana moves 1 space.');
    expect(say('moved', { start: 2, links: 2 })).toBe('Ana moves 2 spaces.');
    expect(say('moved', { start: 2, links: 0 }, new Texts('fr', CATALOGUE))).toBe('Ana moves 0 space.');
  });
  it('have as many plural forms as the language', () => {
    const polish = new Texts('pl', {
      steps: { forms: ['{n} stopień', '{n} stopnie', '{n} stopni'], counted: 'n' },
      english: { forms: ['{n} step', '{n} steps'], counted: 'n' }, // of a game without Polish texts
    });
    const said = (key: string, numbers: number[]) => numbers.map((n) => polish.lookup(key, { n }));
    expect(said('steps', [1])).toEqual(['1 stopień']);
    expect(said('steps', [2, 4, 22, 104])).toEqual(['2 stopnie', '4 stopnie', '22 stopnie', '104 stopnie']);
    expect(said('steps', [0, 5, 12, 21])).toEqual(['0 stopni', '5 stopni', '12 stopni', '21 stopni']);
    expect(said('english', [1, 2, 5])).toEqual(['1 step', '2 steps', '5 steps']);
  });
  it('choose variants by the data of the fact', () => {
    expect(say('moved', { start: 0, links: 2 })).toBe('Ana starts.');
    expect(say('rolled', { number: 4, coloured: true })).toBe('Ana rolls in colour.');
    expect(say('rolled', { number: 4, coloured: false })).toBe('Ana rolls 4.');
    expect(say('covered', { victim: 0 })).toBe('Ana covers their own.');
    expect(say('covered', { victim: 1 })).toBe('Ana covers {name}.');
    expect(en.action('g', 'move 0')).toBe('Move from the start');
    expect(en.action('g', 'move 7')).toBe('Move 7');
  });
  it('say "you" to the reader, and the name where there is no such form', () => {
    const said = (kind: string, data: object, you: number | null) =>
      en.fact('g', fact(kind, data), ['Ana', 'Bento', 'Clara'], you);
    expect(said('rolled', { number: 4 }, 0)).toBe('You rolled 4.');
    expect(said('rolled', { number: 4 }, 1)).toBe('Ana rolls 4.');
    expect(said('rolled', { number: 4 }, null)).toBe('Ana rolls 4.');
    expect(said('rolled', { number: 4, coloured: true }, 0)).toBe('Ana rolls in colour.');
    expect(said('covered', { victim: 1 }, 0)).toBe('You cover Bento.');
    expect(said('covered', { victim: 1 }, 1)).toBe('Ana covers you.');
    expect(said('covered', { victim: 1 }, 2)).toBe('Ana covers Bento.');
    expect(said('covered', { victim: 0 }, 0)).toBe('You cover your own.');
    expect(en.preview('g', fact('won'), ['Ana'], 0)).toBe('then you win');
    expect(en.preview('g', fact('won'), ['Ana'])).toBe('then Ana wins');
    expect(en.about('play.preview.g.won', 0, ['Ana'], 0)).toBe('then you win');
  });
  it('translate words and join lists', () => {
    expect(say('turned', { heading: 'up' })).toBe('Ana goes upwards.');
    expect(say('failed', { numbers: [2, 4, 4] })).toBe('Ana cannot link 2, 4, and 4.');
  });
  it('have words for every refusal', () => {
    expect(en.error('over')).toBe('It is over.');
    expect(en.error('nonsense')).toBe('That did not work.');
  });
});

describe('the language', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['pt-BR', 'es-MX'], 'es'],
    [['', 'fr'], 'fr'],
    [['deu', 'xx'], 'en'],
    [[], 'en'],
  ])('of %j is %s', (wanted, language) => expect(negotiate(wanted)).toBe(language));
});
