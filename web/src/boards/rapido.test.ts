import { describe, expect, it } from 'vitest';
import type { Fact } from '../facts';
import { rapido } from './rapido';

const OPTIONS = { players: 3, finish: 20 };
const fact = (kind: string, seat: number, more: object = {}): Fact => ({ kind, ruling: 'R0', seat, ...more });
const position = (more: object = {}) => ({ turn: 0, phase: 'decide', value: 62, steps: [5, 9, 2], tower: [{ field: 4, seat: 1, value: 51 }], ...more });

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
    const view = rapido.view(position({ tower: [{ field: 2, seat: 1, value: 31 }, { field: 4, seat: 1, value: 51 }] }), [], OPTIONS);
    expect(view.tower.map((pair) => pair.colour)).toEqual([0, 1]);
  });
});

describe('a step', () => {
  it('that places moves the pair, throws out, and lets the next seat score', () => {
    const after = { turn: 1, phase: 'first', value: 0, steps: [5, 9, 2], tower: [{ field: 3, seat: 0, value: 62 }] };
    const { cues, view } = rapido.plan(start(), {
      action: 'place 3',
      position: after,
      facts: [fact('placed', 0, { field: 3, value: 62 }), fact('threw_out', 0, { victim: 1, field: 4, value: 51 })],
    }, OPTIONS);
    expect(cues.map((cue) => cue.kind)).toEqual(['place', 'out']);
    expect(cues[0]!.view.tower).toHaveLength(2);
    expect(cues[1]!.view.tower.map((pair) => pair.seat)).toEqual([0]);
    expect(view.turn).toBe(1);
    expect(view.hand).toMatchObject({ seat: 1, dice: null, rolls: 0 });
  });
  it('that throws out several does so together', () => {
    const tower = [{ field: 2, seat: 2, value: 30 }, { field: 4, seat: 1, value: 51 }];
    const view = rapido.view(position({ tower }), [], OPTIONS);
    const facts = [fact('placed', 0, { field: 1, value: 62 }), ...tower.map((p) => fact('threw_out', 0, { victim: p.seat, field: p.field, value: p.value }))];
    const { cues } = rapido.plan(view, { action: 'place 1', facts, position: position({ turn: 1, phase: 'first', tower: [{ field: 1, seat: 0, value: 62 }] }) }, OPTIONS);
    expect(cues.map((cue) => cue.kind)).toEqual(['place', 'out']);
    expect(cues[1]).toMatchObject({ ms: 500, victims: [{ seat: 2 }, { seat: 1 }] });
    expect(cues[1]!.facts).toHaveLength(2);
  });
  it('that rolls a double glows and climbs, and tells each fact once', () => {
    const facts = [fact('rolled', 0, { dice: '33', value: 33 }), fact('doubled', 0, { climbed: 3, step: 8 })];
    const { cues, view } = rapido.plan(start(), { action: '33', position: position({ value: 33, steps: [8, 9, 2] }), facts }, OPTIONS);
    expect(cues.map((cue) => cue.kind)).toEqual(['roll', 'glow', 'climb']);
    expect(cues.flatMap((cue) => cue.facts)).toEqual(facts);
    expect(cues[2]).toMatchObject({ from: 5, to: 8, ms: 540 });
    expect(view.steps[0]).toBe(8);
    expect(view.hand).toMatchObject({ dice: ['3', '3'], rolls: 2 });
  });
  it('that shows an X shakes and falls', () => {
    const facts = [fact('rolled', 0, { dice: 'X5', value: 50 }), fact('fell', 0, { crosses: 1, fallen: 1, step: 4 })];
    const { cues } = rapido.plan(start(), { action: 'X5', position: position({ turn: 1, phase: 'first', steps: [4, 9, 2] }), facts }, OPTIONS);
    expect(cues.map((cue) => cue.kind)).toEqual(['roll', 'shake', 'fall']);
  });
  it('ends as its position says, whatever was shown', () => {
    const odd = { turn: 2, phase: 'first', value: 0, steps: [1, 2, 3], tower: [] };
    expect(rapido.plan(start(), { action: '?', facts: [], position: odd }, OPTIONS).view).toMatchObject({ turn: 2, steps: [1, 2, 3], tower: [] });
  });
});
