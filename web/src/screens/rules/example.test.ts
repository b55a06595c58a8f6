import { describe, expect, it } from 'vitest';
import type { Script } from '../../match/cues';
import { linesOf, picturesOf } from './example';
import type { Fact } from '../../match/facts';
import type { ExampleView, StepView } from '../../protocol';

/** A board with a number on it and a die in the hand: an action rolls (`d3`) or adds what was rolled (`+`). */
interface View {
  sum: number;
  die: number | null;
}
const game: Script = {
  view: (position) => position,
  plan: (_, { position, facts }) => {
    const view = position as View;
    const cues = facts.map((fact) => ({
      kind: fact.kind,
      seat: 0,
      ms: 1,
      view: fact.kind === 'rolled' ? { ...view, die: fact.die } : view,
      facts: [fact],
      sounds: [],
    }));
    return { cues, view };
  },
  join: (before, { seat, fact }) =>
    before.fact?.kind === 'rolled' && fact?.kind === 'rolled' ? { seat, key: 'rolls' } : null,
};
const drawn = {
  script: game,
  split: (view: unknown) => ({
    board: (view as View).sum,
    hand: (view as View).die,
    rolled: (view as View).die !== null,
  }),
};
const rolled = (die: number) => ({ kind: 'rolled', ruling: 'T1', seat: 0, die });
const step = (position: View, ...facts: StepView['facts']): StepView => ({ action: '', position, facts });
const example = (position: View, ...tries: StepView[][]): ExampleView => ({
  caption: '',
  options: {},
  seats: [],
  position,
  turn: [],
  legal: [],
  tries: tries.map((steps) => ({ action: 'do', steps })),
});

describe('an example', () => {
  it('without tries shows the board, or only the dice that were rolled', () => {
    expect(picturesOf(example({ sum: 1, die: null }), drawn).before).toEqual({
      view: { sum: 1, die: null },
      board: true,
      hand: null,
    });
    expect(picturesOf(example({ sum: 1, die: 5 }), drawn).before).toMatchObject({ board: false, hand: { die: 5 } });
  });
  it('shows no board where nothing on it changes, and nothing at all where there was nothing to see', () => {
    const { before, after } = picturesOf(example({ sum: 1, die: null }, [step({ sum: 1, die: 4 }, rolled(4))]), drawn);
    expect(before).toBeNull();
    expect(after).toMatchObject([{ board: false, hand: { die: 4 } }]);
  });
  it('shows the board before and after, and no dice that were there before', () => {
    const { before, after } = picturesOf(example({ sum: 1, die: 4 }, [step({ sum: 5, die: null })]), drawn);
    expect(before).toMatchObject({ board: true, hand: { die: 4 } });
    expect(after).toMatchObject([{ board: true, view: { sum: 5 }, hand: null }]);
  });
  it('shows the dice that were rolled on the way, though they are gone at its end', () => {
    const { after } = picturesOf(example({ sum: 1, die: null }, [step({ sum: 0, die: null }, rolled(6))]), drawn);
    expect(after).toMatchObject([{ board: true, view: { sum: 0 }, hand: { die: 6 } }]);
  });
  it('shows what a die that missed was rolled for', () => {
    const missed = { kind: 'missed', ruling: 'T2', seat: 0, number: 2 };
    const { after } = picturesOf(
      example({ sum: 1, die: 4 }, [step({ sum: 1, die: 4 }, missed), step({ sum: 1, die: null })]),
      drawn,
    );
    expect(after).toMatchObject([{ board: false, hand: { die: 4 }, facts: [missed] }]);
  });
  it('is shown as lines, some of them joined', () => {
    const won: Fact = { kind: 'won', ruling: 'T3', seat: 0 };
    expect(linesOf([rolled(1), rolled(2), won], game)).toEqual([
      { seat: 0, key: 'rolls' },
      { seat: 0, fact: won },
    ]);
  });
});
