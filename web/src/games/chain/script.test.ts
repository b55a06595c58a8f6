import { describe, expect, it } from 'vitest';
import type { Fact } from '../../match/facts';
import { chain, chancesOf, goingOf } from './script';
import { boardOf } from './board';

const OPTIONS = { players: 3, board: '34 7>11 10>5' };
const fact = (kind: string, seat: number, more: object = {}): Fact => ({ kind, ruling: 'C0', seat, ...more });
const position = (more: object = {}) => ({
  turn: 0,
  phase: 'decide',
  hands: [4, 3, 2],
  pool: 15,
  discs: [
    [6, 30],
    [0, 19],
    [11, 19],
  ],
  piles: [
    [6, [0]],
    [11, [2]],
    [19, [1, 2]],
    [30, [0]],
  ],
  chain: { numbers: [3, 4, 5, 6], last: 3, heading: 'down' },
  loose: [],
  ...more,
});
const built = [
  fact('kept', 0, { dice: 4, discarded: 0 }),
  fact('rolled', 0, { number: 4, coloured: true }),
  ...[6, 5, 3].map((number) => fact('linked', 0, { number })),
];
const start = (more: object = {}) => chain.view(position(more), built, OPTIONS);
const plan = (facts: Fact[], after: object, view = start()) =>
  chain.plan(view, { action: '', facts, position: position(after) }, OPTIONS);

describe('what is shown of a position', () => {
  it('has the chain in the order in which it was built', () => {
    expect(start().links).toEqual([4, 6, 5, 3]);
  });
  it('guesses an order that ends right, where nobody saw it', () => {
    expect(chain.view(position(), [], OPTIONS).links).toEqual([6, 5, 4, 3]);
  });
  it('puts what was there before the first fact in front', () => {
    expect(chain.view(position(), built.slice(2), OPTIONS).links).toEqual([4, 6, 5, 3]);
    expect(chain.view(position(), [fact('linked', 0, { number: 1 })], OPTIONS).links).toEqual([6, 5, 4, 3]);
  });
  it('knows boards by name and by text', () => {
    expect(boardOf('default').length).toBe(34);
    expect(boardOf('default').arrows.get(7)).toBe(11);
    expect(boardOf('18 3>6')).toEqual({ length: 18, arrows: new Map([[3, 6]]) });
  });
});

describe('a step', () => {
  const none = { numbers: [], last: 0, heading: 'open' };
  it('that rolls keeps the dice in the order in which they fell', () => {
    const before = chain.view(
      position({ phase: 'roll', chain: { numbers: [4], last: 4, heading: 'open' }, loose: [6] }),
      [],
      OPTIONS,
    );
    const { cues, view } = plan(
      [fact('rolled', 0, { number: 2, coloured: false })],
      { phase: 'build', chain: { numbers: [4], last: 4, heading: 'open' }, loose: [2, 6] },
      before,
    );
    expect(cues.map((cue) => cue.kind)).toEqual(['roll']);
    expect(view.loose.map((die) => die.number)).toEqual([6, 2]);
  });
  it('that links takes one of the loose dice', () => {
    const before = chain.view(
      position({ phase: 'build', chain: { numbers: [4], last: 4, heading: 'open' }, loose: [3, 5, 5] }),
      [fact('rolled', 0, { number: 4, coloured: true })],
      OPTIONS,
    );
    const { view } = plan(
      [fact('linked', 0, { number: 5 })],
      { phase: 'build', chain: { numbers: [4, 5], last: 5, heading: 'up' }, loose: [3, 5] },
      before,
    );
    expect(view.links).toEqual([4, 5]);
    expect(view.loose.map((die) => die.number)).toEqual([3, 5]);
  });
  it('that lengthens takes a die from the pool once, and adds it', () => {
    const taken = plan([fact('lengthened', 0, { heading: 'down' })], {
      phase: 'lengthen',
      hands: [5, 3, 2],
      pool: 14,
    });
    expect(taken.cues.map((cue) => [cue.kind, cue.view.pool, cue.view.hands[0]])).toEqual([['take', 14, 5]]);
    const added = plan(
      [fact('added', 0, { number: 2, links: 5 })],
      { hands: [5, 3, 2], pool: 14, chain: { numbers: [2, 3, 4, 5, 6], last: 2, heading: 'down' } },
      taken.view,
    );
    expect(added.cues[0]?.view.pool).toBe(14);
    expect(added.view.links).toEqual([4, 6, 5, 3, 2]);
  });
  it('that misses gives half of the dice back', () => {
    const facts = [fact('missed', 0, { number: 5 }), fact('failed', 0, { used: 5, lost: 3 })];
    const { cues, view } = plan(facts, { turn: 1, phase: 'keep', hands: [2, 3, 2], pool: 17, chain: none });
    expect(cues.map((cue) => cue.kind)).toEqual(['throw', 'miss', 'fail']);
    expect([cues[2]?.view.hands[0], view.links]).toEqual([2, []]);
  });
  it('that moves walks, takes the arrow, frees and covers', () => {
    const before = chain.view(
      position({
        discs: [
          [3, 30],
          [3, 19],
          [11, 19],
        ],
        piles: [
          [3, [1, 0]],
          [11, [2]],
          [19, [1, 2]],
          [30, [0]],
        ],
      }),
      built,
      OPTIONS,
    );
    const facts = [
      fact('moved', 0, { start: 3, end: 7, links: 4 }),
      fact('took_arrow', 0, { start: 7, end: 11 }),
      fact('freed', 1, { space: 3 }),
      fact('covered', 0, { victim: 2, space: 11 }),
    ];
    const after = {
      turn: 1,
      phase: 'keep',
      discs: [
        [11, 30],
        [3, 19],
        [11, 19],
      ],
      piles: [
        [3, [1]],
        [11, [2, 0]],
        [19, [1, 2]],
        [30, [0]],
      ],
      chain: none,
    };
    const { cues, view } = plan(facts, after, before);
    expect(cues.map((cue) => cue.kind)).toEqual(['walk', 'arrow', 'free', 'land']);
    expect(cues[0]).toMatchObject({ path: [3, 4, 5, 6, 7] });
    expect(cues.at(-1)?.view.stacks).toEqual(view.stacks);
    expect(cues.at(-1)?.view.discs).toEqual(view.discs);
  });
  it('that goes past the centre turns round there', () => {
    const facts = [
      fact('moved', 0, { start: 32, end: 33, links: 3 }),
      fact('walked_back', 0, { surplus: 1, space: 33 }),
    ];
    const before = chain.view(
      position({
        discs: [
          [6, 32],
          [0, 19],
          [11, 19],
        ],
        piles: [
          [6, [0]],
          [11, [2]],
          [19, [1, 2]],
          [32, [0]],
        ],
      }),
      built,
      OPTIONS,
    );
    const { cues } = plan(
      facts,
      {
        turn: 1,
        phase: 'keep',
        discs: [
          [6, 33],
          [0, 19],
          [11, 19],
        ],
        piles: [
          [6, [0]],
          [11, [2]],
          [19, [1, 2]],
          [33, [0]],
        ],
        chain: none,
      },
      before,
    );
    expect(cues[0]).toMatchObject({ kind: 'walk', path: [32, 33, 34, 33] });
    expect(cues.flatMap((cue) => cue.facts)).toHaveLength(2);
  });
  it('has every fact once', () => {
    const facts = [fact('moved', 0, { start: 30, end: 34, links: 4 }), fact('arrived', 0), fact('won', 1)];
    const { cues } = plan(facts, {
      turn: 1,
      phase: 'over',
      chain: none,
      discs: [
        [6, 34],
        [0, 19],
        [11, 19],
      ],
      piles: [
        [6, [0]],
        [11, [2]],
        [19, [1, 2]],
      ],
    });
    expect(cues.flatMap((cue) => cue.facts)).toEqual(facts);
    expect(cues.map((cue) => cue.kind)).toEqual(['walk', 'land', 'win']);
  });
});

describe('a staged moment', () => {
  const none = { numbers: [], last: 0, heading: 'open' };
  const staged = (facts: Fact[]) =>
    plan(facts, { turn: 1, phase: 'keep', chain: none }).cues.filter((cue) => cue.word);
  it.each([
    [
      'a chain that cannot be built',
      [fact('unlinkable', 0, { numbers: [3, 5] }), fact('failed', 0, { used: 4, lost: 2 })],
      'no_chain',
      { dice: 2 },
      'bad',
    ],
    [
      'a die that does not fit',
      [fact('missed', 0, { number: 5 }), fact('failed', 0, { used: 5, lost: 3 })],
      'missed',
      { dice: 3 },
      'bad',
    ],
    ['an arrow onward', [fact('took_arrow', 0, { start: 6, end: 11 })], 'onward', { end: 11 }, 'good'],
    ['an arrow back', [fact('took_arrow', 0, { start: 6, end: 5 })], 'back', { end: 5 }, 'bad'],
    ['a covering', [fact('covered', 0, { victim: 2, space: 6 })], 'covered', { seat: 2 }, 'bad'],
    ['a disc that is free again', [fact('freed', 1, { space: 19 })], 'freed', { seat: 1 }, 'good'],
    ['a disc at the centre', [fact('arrived', 0)], 'arrived', { seat: 0 }, 'good'],
    ['a win', [fact('won', 1)], 'won', { seat: 1 }, 'good'],
  ])('is %s: it has a word and takes a second or more', (_, facts, key, args, tone) => {
    const cues = staged(facts);
    expect(cues.map(({ word }) => word)).toEqual([{ key: `web.chain.word.${key}`, args, tone }]);
    expect(cues[0]?.ms).toBeGreaterThanOrEqual(1000);
    expect(cues[0]?.ms).toBeLessThanOrEqual(1600);
    expect(cues[0]?.sounds.length).toBeGreaterThan(0);
  });
  it('shows the die before its word', () => {
    const { cues } = plan([fact('missed', 0, { number: 5 }), fact('failed', 0, { used: 5, lost: 3 })], {
      turn: 1,
      phase: 'keep',
      chain: none,
    });
    expect(cues.map(({ kind, word }) => [kind, !!word])).toEqual([
      ['throw', false],
      ['miss', true],
      ['fail', false],
    ]);
  });
});

describe('what others do', () => {
  it('takes about a second, if nothing is staged', () => {
    const facts = [
      fact('kept', 1, { dice: 4, discarded: 1 }),
      ...[4, 6, 5, 3].map((number, i) => fact('rolled', 1, { number, coloured: !i })),
      ...[6, 5, 3].map((number) => fact('linked', 1, { number })),
      fact('moved', 1, { start: 15, end: 19, links: 4 }),
    ];
    const turn = facts.flatMap((one, i) => plan([one], { phase: i < 4 ? 'roll' : 'build' }).cues);
    const brief = turn.reduce((sum, cue) => sum + (cue.brief ?? cue.ms), 0);
    expect(brief).toBeLessThanOrEqual(1200);
  });
  it('harms a seat that it covers', () => {
    const covered = fact('covered', 0, { victim: 2, space: 6 });
    expect(chain.harms?.(covered, 2)).toBe(true);
    expect(chain.harms?.(covered, 1)).toBe(false);
    expect(chain.harms?.(fact('covered', 2, { victim: 2, space: 6 }), 2)).toBe(false);
    expect(chain.harms?.(fact('freed', 2, { space: 6 }), 2)).toBe(false);
  });
});

describe('a preview', () => {
  it('shows where a disc would go', () => {
    const preview = {
      facts: [
        fact('moved', 0, { start: 6, end: 10, links: 4 }),
        fact('took_arrow', 0, { start: 10, end: 5 }),
        fact('covered', 0, { victim: 1, space: 5 }),
      ],
      rolls: {},
    };
    expect(goingOf(preview, 34)).toEqual({
      from: 6,
      path: [6, 7, 8, 9, 10],
      stop: 10,
      end: 5,
      covers: 1,
      frees: null,
      home: false,
    });
    expect(goingOf(null, 34)).toBeNull();
  });
  it('shows which numbers would fit, and what a miss would cost', () => {
    const miss = [fact('missed', 0, { number: 4 }), fact('failed', 0, { used: 5, lost: 3 }), fact('won', 2)];
    const rolls = {
      '1': [fact('added', 0, { number: 1, links: 5 })],
      '2': [fact('added', 0, { number: 2, links: 5 })],
      '4': miss,
    };
    expect(chancesOf({ facts: [], rolls })).toEqual({ fits: [1, 2], lost: 3, winner: 2 });
    expect(chancesOf(undefined)).toBeNull();
  });
});

describe('the log', () => {
  const line = (kind: string, number: number, more: object = {}) => ({
    seat: 0,
    fact: fact(kind, 0, { number, ...more }),
  });
  it('logs the dice of one roll in one line', () => {
    const first = line('rolled', 4, { coloured: true });
    const two = chain.join?.(first, line('rolled', 6, { coloured: false }));
    expect(two).toEqual({ seat: 0, key: 'play.several.chain.rolled', args: { number: [4, 6] } });
    expect(chain.join?.(two ?? first, line('rolled', 5, { coloured: false }))?.args).toEqual({ number: [4, 6, 5] });
  });
  it('keeps apart what is not the same', () => {
    expect(chain.join?.(line('rolled', 4), line('linked', 4))).toBeNull();
    expect(chain.join?.(line('rolled', 4), line('rolled', 2, { coloured: true }))).toBeNull();
    expect(chain.join?.({ ...line('linked', 4), seat: 1 }, line('linked', 2))).toBeNull();
  });
});
