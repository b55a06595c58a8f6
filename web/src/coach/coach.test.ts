import { describe, expect, it } from 'vitest';
import { asShare, bandsOf, editorOf, momentOf, roomOf, rowsOf, sentence, sharesOf } from './coach';
import { textOf, VALUES } from '../games/rapido/text';
import type { AnalysisView, DecisionLine } from '../protocol';
import { Texts } from '../texts/texts.svelte';

const CURVE = [
  [0.5, 0.5],
  [0.25, 0.75],
  [1, 0],
];

describe('the curve', () => {
  it('stacks the seats, so that every moment adds up to the whole height', () => {
    expect(bandsOf(CURVE)).toEqual(['M0 0L1 0L2 0L2 100L1 25L0 50z', 'M0 50L1 25L2 100L2 100L1 100L0 100z']);
  });
  it('writes a letter where a band is widest, and none into a band that is thin throughout', () => {
    const thin = Array.from({ length: 50 }, (_, i) => [0.9 - i / 1000, 0.1 + i / 1000]);
    expect(roomOf(thin, 0)?.y).toBeCloseTo(0.449);
    expect(roomOf(thin, 1)).toBeNull();
  });
  it('is a table too, with a row for each turn', () => {
    const turns = [
      { seat: 0, from: 0, to: 1 },
      { seat: 1, from: 1, to: 2 },
    ];
    expect(rowsOf({ curve: CURVE } as AnalysisView, turns)).toEqual([
      { turn: 1, seat: 0, ply: 1, shares: [0.25, 0.75] },
      { turn: 2, seat: 1, ply: 2, shares: [1, 0] },
    ]);
  });
});

describe('a mistake in words', () => {
  const texts = new Texts('en', {
    'rapido.action.place': 'Place on {number}',
    'rapido.action.again': 'Roll again',
    'coach.good.rapido.threw_out': '{action}, not {instead}, throws out {names}: {best} instead of {share}.',
  });
  const line: DecisionLine = {
    ply: 3,
    seat: 0,
    played: 'again',
    best: 'place 2',
    wins: { 'place 2': 0.61, again: 0.54 },
    lost: 0.07,
    size: 'mistake',
    reason: 'coach.good.rapido.threw_out',
    facts: [
      { kind: 'threw_out', ruling: 'R14', seat: 0, victim: 1, field: 3, value: 52 },
      { kind: 'threw_out', ruling: 'R14', seat: 0, victim: 1, field: 4, value: 21 },
    ],
  };
  it('names each victim once', () => {
    expect(sentence(texts, 'rapido', line, ['Ana', 'Rui'])).toBe(
      'Place on 2, not Roll again, throws out Rui: 61% instead of 54%.',
    );
  });
  it('says what was lost so that it adds up', () => {
    const lost = (best: number, own: number) => sharesOf(texts, { ...line, wins: { 'place 2': best, again: own } });
    expect(lost(0.8249, 0.6851)).toEqual({ best: '82%', share: '69%', lost: '13%' }); // not 14
    expect(lost(0.503, 0.497)).toEqual({ best: '50.3%', share: '49.7%', lost: '0.6%' });
  });
  it('is more exact where whole numbers would be alike', () => {
    expect(sentence(texts, 'rapido', { ...line, wins: { 'place 2': 0.503, again: 0.497 } }, ['Ana', 'Rui'])).toContain(
      '50.3% instead of 49.7%',
    );
  });
});

describe('playing on', () => {
  const position = (turn: number, phase: string) => ({ turn, phase });
  const replay = {
    start: position(0, 'first'),
    steps: [{ position: position(1, 'first') }, { position: position(1, 'over') }],
    texts: ['a', 'b', 'c'],
  };
  it('is possible from every moment but the last', () => {
    expect([0, 1, 2].map((ply) => momentOf(replay, ply))).toEqual([
      { text: 'a', seat: 0 },
      { text: 'b', seat: 1 },
      null,
    ]);
  });
  it('puts a position into an address', () => {
    expect(editorOf('rapido', { players: 2 }, 'turn=0 tower=-')).toBe(
      '/position/rapido#players=2&at=turn%3D0+tower%3D-',
    );
  });
});

describe('the text of a position', () => {
  it('is what the server writes', () => {
    const tower = [
      { field: 0, seat: 1, value: 0 },
      { field: 3, seat: 0, value: 52 },
    ];
    expect(textOf({ turn: 1, phase: 'decide', value: 63, steps: [2, 1], tower })).toBe(
      'turn=1 phase=decide value=63 steps=2,1 tower=0:1,3:0:52',
    );
    expect(textOf({ turn: 0, phase: 'first', value: 0, steps: [0, 0], tower: [] })).toBe(
      'turn=0 phase=first value=0 steps=0,0 tower=-',
    );
  });
  it('knows what two dice can show', () => {
    expect(VALUES[0]).toBe(0);
    expect(VALUES.at(-1)).toBe(76);
  });
});

describe('the share of wins without luck', () => {
  it('is never under 0% or over 100%', () => expect([-0.03, 0.4, 1.02].map(asShare)).toEqual([0, 0.4, 1]));
});
