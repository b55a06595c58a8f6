import { describe, expect, it } from 'vitest';
import type { Fact } from '../../match/facts';
import { rapido } from './script';

const OPTIONS = { players: 3, finish: 20 };
const fact = (kind: string, seat: number, more: object = {}): Fact => ({ kind, ruling: 'R0', seat, ...more });
const position = (more: object = {}) => ({
  turn: 0,
  phase: 'decide',
  value: 62,
  steps: [5, 9, 2],
  tower: [{ field: 4, seat: 1, value: 51 }],
  ...more,
});

const start = () => rapido.view(position(), [fact('rolled', 0, { dice: '26', value: 62 })], OPTIONS);

describe('what is shown of a position', () => {
  it('has the dice of the turn', () => {
    expect(start().hand).toEqual({ seat: 0, colour: 0, dice: ['2', '6'], value: 62, rolls: 1 });
  });
  it('has the dice of a position that was set up', () => {
    expect(rapido.view(position(), [], OPTIONS).hand).toMatchObject({ dice: ['2', '6'], value: 62 });
  });
  it('has no dice of a turn that has not begun', () => {
    expect(rapido.view(position({ phase: 'first', value: 0 }), [], OPTIONS).hand.dice).toBeNull();
  });
  it('gives two pairs of a seat two colours', () => {
    const view = rapido.view(
      position({
        tower: [
          { field: 2, seat: 1, value: 31 },
          { field: 4, seat: 1, value: 51 },
        ],
      }),
      [],
      OPTIONS,
    );
    expect(view.tower.map((pair) => pair.colour)).toEqual([0, 1]);
  });
});

describe('a step', () => {
  it('that places moves the pair, throws out, and lets the next seat score', () => {
    const after = { turn: 1, phase: 'first', value: 0, steps: [5, 9, 2], tower: [{ field: 3, seat: 0, value: 62 }] };
    const { cues, view } = rapido.plan(
      start(),
      {
        action: 'place 3',
        position: after,
        facts: [fact('placed', 0, { field: 3, value: 62 }), fact('threw_out', 0, { victim: 1, field: 4, value: 51 })],
      },
      OPTIONS,
    );
    expect(cues.map((cue) => cue.kind)).toEqual(['place', 'out']);
    expect(cues[0]!.view.tower).toHaveLength(2);
    expect(cues[1]!.view.tower.map((pair) => pair.seat)).toEqual([0]);
    expect(view.turn).toBe(1);
    expect(view.hand).toMatchObject({ seat: 1, dice: null, rolls: 0 });
  });
  it('that throws out several does so together', () => {
    const tower = [
      { field: 2, seat: 2, value: 30 },
      { field: 4, seat: 1, value: 51 },
    ];
    const view = rapido.view(position({ tower }), [], OPTIONS);
    const facts = [
      fact('placed', 0, { field: 1, value: 62 }),
      ...tower.map((p) => fact('threw_out', 0, { victim: p.seat, field: p.field, value: p.value })),
    ];
    const { cues } = rapido.plan(
      view,
      {
        action: 'place 1',
        facts,
        position: position({ turn: 1, phase: 'first', tower: [{ field: 1, seat: 0, value: 62 }] }),
      },
      OPTIONS,
    );
    expect(cues.map((cue) => cue.kind)).toEqual(['place', 'out']);
    expect(cues[1]).toMatchObject({ ms: 1280, brief: 560, victims: [{ seat: 2 }, { seat: 1 }] });
    expect(cues[1]!.facts).toHaveLength(2);
  });
  it('that rolls a double glows and climbs, and logs each fact once', () => {
    const facts = [fact('rolled', 0, { dice: '33', value: 33 }), fact('doubled', 0, { climbed: 3, step: 8 })];
    const { cues, view } = rapido.plan(
      start(),
      { action: '33', position: position({ value: 33, steps: [8, 9, 2] }), facts },
      OPTIONS,
    );
    expect(cues.map((cue) => cue.kind)).toEqual(['roll', 'double', 'climb']);
    expect(cues.flatMap((cue) => cue.facts)).toEqual(facts);
    expect(cues[2]).toMatchObject({ from: 5, to: 8, ms: 540 });
    expect(view.steps[0]).toBe(8);
    expect(view.hand).toMatchObject({ dice: ['3', '3'], rolls: 2 });
  });
  it('that shows an X shakes and falls', () => {
    const facts = [fact('rolled', 0, { dice: 'X5', value: 50 }), fact('fell', 0, { crosses: 1, fallen: 1, step: 4 })];
    const { cues } = rapido.plan(
      start(),
      { action: 'X5', position: position({ turn: 1, phase: 'first', steps: [4, 9, 2] }), facts },
      OPTIONS,
    );
    expect(cues.map((cue) => cue.kind)).toEqual(['roll', 'bust', 'fall']);
  });
  it('that ends on the start square has no fall', () => {
    const facts = [fact('rolled', 0, { dice: 'XX', value: 0 }), fact('fell', 0, { crosses: 2, fallen: 0, step: 0 })];
    const at = rapido.view(position({ steps: [0, 9, 2] }), [], OPTIONS);
    const { cues } = rapido.plan(
      at,
      { action: 'XX', position: position({ turn: 1, phase: 'first', steps: [0, 9, 2] }), facts },
      OPTIONS,
    );
    expect(cues.map((cue) => cue.word?.key)).toEqual([undefined, 'web.rapido.word.bust.start']);
  });
  it('ends as its position says, whatever was shown', () => {
    const odd = { turn: 2, phase: 'first', value: 0, steps: [1, 2, 3], tower: [] };
    expect(rapido.plan(start(), { action: '?', facts: [], position: odd }, OPTIONS).view).toMatchObject({
      turn: 2,
      steps: [1, 2, 3],
      tower: [],
    });
  });
});

/** The cues of a step that has these facts. */
const played = (facts: Fact[], view = start()) =>
  rapido.plan(view, { action: '?', facts, position: position() }, OPTIONS).cues;

describe('staged moments', () => {
  const moments: [string, Fact[], object][] = [
    [
      'a bust',
      [fact('fell', 0, { crosses: 1, fallen: 1, step: 4 })],
      { key: 'web.rapido.word.bust', args: { steps: 1 } },
    ],
    ['a bust of two', [fact('fell', 0, { crosses: 2, fallen: 2, step: 3 })], { args: { steps: 2 } }],
    ['a double', [fact('doubled', 0, { climbed: 2, step: 7 })], { key: 'web.rapido.word.double', args: { steps: 2 } }],
    ['a throw-out', [fact('threw_out', 0, { victim: 1, field: 4, value: 51 })], { key: 'web.rapido.word.out' }],
    ['a score', [fact('scored', 0, { climbed: 5, step: 10 })], { key: 'web.rapido.word.score', args: { steps: 5 } }],
  ];
  it.each(moments)('%s has a word and lasts 1 to 1.5 seconds, for others less', (_, facts, word) => {
    const staged = played(facts).filter((cue) => cue.word);
    expect(staged).toHaveLength(1);
    expect(staged[0]!.word).toMatchObject(word);
    expect(staged[0]!.ms).toBeGreaterThanOrEqual(1000);
    expect(staged[0]!.ms).toBeLessThanOrEqual(1500);
    expect(staged[0]!.brief).toBeLessThanOrEqual(600);
  });
  it('a win is played in full for all', () => {
    const [win] = played([fact('won', 0)]);
    expect(win).toMatchObject({ kind: 'win', word: { key: 'web.rapido.word.win', tone: 'good' } });
    expect(win!.brief).toBeUndefined();
  });
  it('an ordinary turn of another player takes about a second', () => {
    const cues = played([fact('rolled', 1, { dice: '26', value: 62 }), fact('placed', 1, { field: 3, value: 62 })]);
    expect(cues.reduce((sum, cue) => sum + (cue.brief ?? cue.ms), 0)).toBeLessThanOrEqual(1000);
  });
  it('show a bust and a double from step to step', () => {
    expect(played([fact('fell', 0, { crosses: 2, fallen: 2, step: 3 })])[0]).toMatchObject({ from: 5, to: 3 });
    expect(played([fact('doubled', 0, { climbed: 3, step: 8 })])[0]).toMatchObject({ from: 5, to: 8 });
  });
  it('know who was harmed', () => {
    const out = fact('threw_out', 0, { victim: 1, field: 4, value: 51 });
    expect([0, 1, 2].map((seat) => rapido.harms?.(out, seat))).toEqual([false, true, false]);
    expect(rapido.harms?.(fact('placed', 1, { field: 3, value: 62 }), 1)).toBe(false);
  });
});

describe('a pair on field 0', () => {
  const after = position({ turn: 1, phase: 'first', tower: [{ field: 0, seat: 0, value: 0 }] });
  it('keeps the dice that were seen when it was placed', () => {
    const step = { action: 'place 0', facts: [fact('placed', 0, { field: 0, value: 62 })], position: after };
    const { view } = rapido.plan(start(), step, OPTIONS);
    expect(view.tower).toEqual([{ field: 0, seat: 0, value: 62, colour: 0, dice: ['2', '6'] }]);
  });
  it('has no dice where only the position is known', () => {
    expect(rapido.view(after, [], OPTIONS).tower).toMatchObject([{ field: 0, dice: null }]);
  });
});
