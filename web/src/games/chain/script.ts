/** What is shown of a position of Chain, and how a step moves it. There are no rules here, only facts. */
import { TIME, type Cue, type Plan, type Script } from '../../match/cues';
import type { Fact, Preview } from '../../match/facts';
import type { ChainFact, ChainState } from '../../protocol';
import { boardOf } from './board';

/** A black die that was rolled and is not yet linked. */
export interface LooseDie {
  /** Distinguishes it from the others for as long as it lies there. */
  id: number;
  number: number;
}

export interface ChainView {
  turn: number;
  phase: ChainState['phase'];
  /** Dice by seat, wherever they lie. */
  hands: number[];
  pool: number;
  discs: number[][];
  /** From space to seats, bottom first. */
  stacks: [number, number[]][];
  /** The chain in the order in which it was built; the coloured die first. */
  links: number[];
  heading: ChainState['chain']['heading'];
  /** In the order in which they fell. */
  loose: LooseDie[];
}

interface Base extends Cue<ChainView> {}
export type ChainCue =
  | (Base & { kind: 'keep'; discarded: number })
  | (Base & { kind: 'roll'; number: number; coloured: boolean })
  | (Base & { kind: 'link'; number: number })
  /** A die is taken from the pool and rolled; then it fits, or it does not. */
  | (Base & { kind: 'take' })
  | (Base & { kind: 'add'; number: number })
  | (Base & { kind: 'throw'; number: number })
  | (Base & { kind: 'miss'; number: number })
  /** The rolled dice make no chain. */
  | (Base & { kind: 'tangle' })
  | (Base & { kind: 'fail'; lost: number })
  /** A disc walks space by space; where it turns round, the centre stands in the middle of the path. */
  | (Base & { kind: 'walk'; path: number[] })
  | (Base & { kind: 'arrow'; from: number; to: number })
  /** It comes to lie: on a disc of `victim`, or at the centre. */
  | (Base & { kind: 'land'; space: number; victim: number | null })
  | (Base & { kind: 'free'; space: number })
  | (Base & { kind: 'win' });

/** A cue without what most cues have alike. */
type NewCue = ChainCue extends infer C
  ? C extends ChainCue
    ? Omit<C, 'seat' | 'sounds' | 'facts' | 'view'> & Partial<Pick<C, 'seat' | 'sounds' | 'facts'>>
    : never
  : never;

export const chain: Script<ChainView, ChainCue> = {
  view(position, turn) {
    const state = position as ChainState;
    return seen(
      state,
      linksOf(state, turn as ChainFact[]),
      state.loose.map((number, id) => ({ id, number })),
    );
  },

  plan(view, step, options): Plan<ChainView, ChainCue> {
    const cues: ChainCue[] = [];
    const centre = boardOf(options.board).length;
    const state = step.position as ChainState;
    let now = view;
    let untold: Fact[] = [];
    for (const fact of step.facts as ChainFact[]) {
      untold.push(fact);
      for (const cue of follow(fact, step.facts as ChainFact[], now, centre, state)) {
        now = cue.view;
        cues.push(cue);
      }
      const last = cues.at(-1);
      if (!last) continue;
      last.facts = [...last.facts, ...untold];
      untold = [];
    }
    return { cues, view: settled(now, state) };
  },

  harms: (fact, seat) => fact.kind === 'covered' && fact.victim === seat && fact.seat !== seat,

  join(before, { seat, fact }) {
    if (before.seat !== seat || !fact || !('number' in fact)) return null;
    const key = `play.several.chain.${fact.kind}`;
    if (fact.kind !== 'linked' && (fact.kind !== 'rolled' || fact.coloured)) return null;
    if (before.key !== key && before.fact?.kind !== fact.kind) return null;
    const joined = before.key === key ? (before.args?.number as number[]) : [Number(before.fact?.number)];
    return { seat, key, args: { number: [...joined, Number(fact.number)] } };
  },
};

/** Staged moments, at normal speed: of the players at this device, and of others. */
const STAGED = { ms: 1250, brief: 1000 };
/** What others do as usual is quick: a turn takes about a second. */
const BRIEF = { keep: 100, first: 120, die: 70, last: 240, link: 70, take: 80, add: 240, step: 45, walk: 400 };

/** The cues of one fact. */
function follow(fact: ChainFact, all: ChainFact[], view: ChainView, centre: number, state: ChainState): ChainCue[] {
  const { seat } = fact;
  const made = (cue: NewCue, after: Partial<ChainView> = {}): ChainCue => ({
    seat,
    sounds: [],
    facts: [],
    ...cue,
    view: { ...view, ...after },
  });
  const lost = all.find((other) => other.kind === 'failed')?.lost ?? 0;
  switch (fact.kind) {
    case 'kept':
      return [
        made(
          {
            kind: 'keep',
            discarded: fact.discarded,
            ms: fact.discarded ? TIME.flight : 0,
            brief: fact.discarded ? BRIEF.keep : 0,
          },
          {
            phase: 'roll',
            hands: view.hands.with(seat, fact.dice),
            pool: view.pool + fact.discarded,
            links: [],
            loose: [],
          },
        ),
      ];
    case 'rolled': {
      // the dice fall one after the other without waiting for each other; the last one is waited for
      const more = state.phase === 'roll';
      const after: Partial<ChainView> = fact.coloured
        ? { links: [fact.number], heading: 'open' }
        : { loose: [...view.loose, { id: view.loose.length, number: fact.number }] };
      return [
        made(
          {
            kind: 'roll',
            number: fact.number,
            coloured: fact.coloured,
            ms: !more ? TIME.tumble : fact.coloured ? TIME.flight : TIME.step,
            brief: !more ? BRIEF.last : fact.coloured ? BRIEF.first : BRIEF.die,
            sounds: [{ at: 60, sound: { name: 'dice' } }],
          },
          { phase: 'roll', ...after },
        ),
      ];
    }
    case 'linked': {
      const die = view.loose.find((loose) => loose.number === fact.number);
      const loose = view.loose.filter((other) => other !== die);
      return [
        made(
          {
            kind: 'link',
            number: fact.number,
            ms: TIME.step * 1.4,
            brief: BRIEF.link,
            sounds: [{ at: TIME.step, sound: { name: 'link', note: fact.number } }],
          },
          { phase: 'build', links: [...view.links, fact.number], loose },
        ),
      ];
    }
    case 'lengthened':
      return [
        made(
          { kind: 'take', ms: TIME.step, brief: BRIEF.take },
          {
            phase: 'lengthen',
            heading: state.chain.heading,
            hands: view.hands.with(seat, (view.hands[seat] ?? 0) + 1),
            pool: view.pool - 1,
          },
        ),
      ];
    case 'added':
      return [
        made(
          {
            kind: 'add',
            number: fact.number,
            ms: TIME.tumble,
            brief: BRIEF.add,
            sounds: [
              { at: 0, sound: { name: 'dice' } },
              { at: TIME.tumble - TIME.quick, sound: { name: 'link', note: fact.number } },
            ],
          },
          { links: [...view.links, fact.number], heading: state.chain.heading },
        ),
      ];
    case 'missed':
      return [
        made({
          kind: 'throw',
          number: fact.number,
          ms: TIME.tumble,
          brief: BRIEF.add,
          sounds: [{ at: 0, sound: { name: 'dice' } }],
        }),
        made({
          kind: 'miss',
          number: fact.number,
          ...STAGED,
          sounds: [{ at: 0, sound: { name: 'miss' } }],
          word: { key: 'web.chain.word.missed', args: { dice: lost }, tone: 'bad' },
        }),
      ];
    case 'unlinkable':
      return [
        made({
          kind: 'tangle',
          ...STAGED,
          sounds: [{ at: 0, sound: { name: 'miss' } }],
          word: { key: 'web.chain.word.no_chain', args: { dice: lost }, tone: 'bad' },
        }),
      ];
    case 'failed':
      return [
        made(
          { kind: 'fail', lost: fact.lost, ms: TIME.flight * 1.5, brief: TIME.step },
          { links: [], loose: [], hands: view.hands.with(seat, fact.used - fact.lost), pool: view.pool + fact.lost },
        ),
      ];
    case 'moved': {
      const path = walk(fact.start, fact.end, all.some((other) => other.kind === 'walked_back') ? centre : null);
      const sounds = path
        .slice(1)
        .map((space, i) => ({ at: TIME.quick * (i + 1), sound: { name: 'climb' as const, note: space % 10 } }));
      return [
        made(
          {
            kind: 'walk',
            path,
            ms: TIME.quick * path.length,
            brief: Math.min(BRIEF.walk, BRIEF.step * path.length),
            sounds,
          },
          moved(view, seat, fact.start, fact.end, centre),
        ),
      ];
    }
    case 'walked_back':
      return []; // part of the walk
    case 'took_arrow': {
      const onward = fact.end > fact.start;
      return [
        made(
          {
            kind: 'arrow',
            from: fact.start,
            to: fact.end,
            ...STAGED,
            sounds: [{ at: 0, sound: onward ? { name: 'out' } : { name: 'fall', note: 4 } }] as ChainCue['sounds'],
            word: {
              key: onward ? 'web.chain.word.onward' : 'web.chain.word.back',
              args: { end: fact.end },
              tone: onward ? 'good' : 'bad',
            },
          },
          moved(view, seat, fact.start, fact.end, centre),
        ),
      ];
    }
    case 'covered':
      return [
        made({
          kind: 'land',
          space: fact.space,
          victim: fact.victim,
          ...STAGED,
          sounds: [{ at: TIME.quick, sound: { name: 'place' } }],
          word: { key: 'web.chain.word.covered', args: { seat: fact.victim }, tone: 'bad' },
        }),
      ];
    case 'freed':
      return [
        made({
          kind: 'free',
          space: fact.space,
          ms: 1000,
          brief: 600,
          sounds: [{ at: 0, sound: { name: 'out' } }],
          word: { key: 'web.chain.word.freed', args: { seat }, tone: 'good' },
        }),
      ];
    case 'arrived':
      return [
        made({
          kind: 'land',
          space: centre,
          victim: null,
          ...STAGED,
          sounds: [
            { at: TIME.quick, sound: { name: 'place' } },
            { at: TIME.flight, sound: { name: 'climb', note: 9 } },
          ],
          word: { key: 'web.chain.word.arrived', args: { seat }, tone: 'good' },
        }),
      ];
    case 'won':
      return [
        made(
          {
            kind: 'win',
            ms: TIME.win,
            sounds: [{ at: 0, sound: { name: 'win' } }],
            word: { key: 'web.chain.word.won', args: { seat }, tone: 'good' },
          },
          { turn: seat, phase: 'over', links: [], loose: [] },
        ),
      ];
  }
}

/** The spaces on the way, both ends included; `turning` is where it turns round. */
function walk(start: number, end: number, turning: number | null): number[] {
  const to = turning ?? end;
  const path = Array.from({ length: to - start + 1 }, (_, i) => start + i);
  if (turning !== null) for (let n = to - 1; n >= end; n--) path.push(n);
  return path;
}

/** The spaces where a disc was covered according to these facts, and still is. */
export function coveredOf(facts: readonly Fact[], view: ChainView): number[] {
  const stacks = new Map(view.stacks);
  const spaces = (facts as readonly ChainFact[]).flatMap((fact) =>
    fact.kind === 'covered' && stacks.get(fact.space)?.slice(0, -1).includes(fact.victim) ? [fact.space] : [],
  );
  return [...new Set(spaces)];
}

/** The effect of a move, as far as it can be drawn. */
export interface Going {
  from: number;
  /** Space by space, until it stops walking. */
  path: number[];
  /** Where it stops, and the end of the arrow if it takes one. */
  stop: number;
  end: number;
  covers: number | null;
  frees: number | null;
  home: boolean;
}

/** The move of a preview; null if it is none. */
export function goingOf(preview: Preview | null | undefined, centre: number): Going | null {
  const facts = (preview?.facts ?? []) as ChainFact[];
  const find = <K extends ChainFact['kind']>(kind: K) =>
    facts.find((fact): fact is Extract<ChainFact, { kind: K }> => fact.kind === kind);
  const move = find('moved');
  if (!move) return null;
  return {
    from: move.start,
    path: walk(move.start, move.end, find('walked_back') ? centre : null),
    stop: move.end,
    end: find('took_arrow')?.end ?? move.end,
    covers: find('covered')?.victim ?? null,
    frees: find('freed')?.seat ?? null,
    home: !!find('arrived'),
  };
}

/** The effect of a die from the pool, number by number. */
export interface Chances {
  fits: number[];
  /** Dice that a miss costs; 0 if nothing can miss. */
  lost: number;
  /** Who would win by a miss. */
  winner: number | null;
}

export function chancesOf(preview: Preview | undefined): Chances | null {
  if (!preview || !Object.keys(preview.rolls).length) return null;
  const rolls = Object.entries(preview.rolls) as [string, ChainFact[]][];
  const chances: Chances = { fits: [], lost: 0, winner: null };
  for (const [number, facts] of rolls)
    for (const fact of facts) {
      if (fact.kind === 'added') chances.fits.push(Number(number));
      else if (fact.kind === 'failed') chances.lost = fact.lost;
      else if (fact.kind === 'won') chances.winner = fact.seat;
    }
  return chances;
}

/** A disc taken from the top of one space and put on top of another. */
function moved(view: ChainView, seat: number, from: number, to: number, centre: number): Partial<ChainView> {
  const stacks = new Map(view.stacks);
  const left = stacks.get(from)?.slice(0, -1) ?? [];
  if (left.length) stacks.set(from, left);
  else stacks.delete(from);
  if (to < centre && to > 0) stacks.set(to, [...(stacks.get(to) ?? []), seat]);
  const discs = [...without(view.discs[seat] ?? [], from), to].toSorted((a, b) => a - b);
  return { stacks: [...stacks].toSorted(([a], [b]) => a - b), discs: view.discs.with(seat, discs) };
}

/** The step's position decides; only the order of links and loose dice comes from what was shown. */
function settled(shown: ChainView, state: ChainState): ChainView {
  const links = alike(shown.links, state.chain.numbers) ? shown.links : guessed(state.chain);
  const numbers = shown.loose.map((die) => die.number);
  const loose = alike(numbers, state.loose) ? shown.loose : state.loose.map((number, id) => ({ id, number }));
  return seen(state, links, loose);
}

function seen(state: ChainState, links: number[], loose: LooseDie[]): ChainView {
  const { turn, phase, hands, pool, discs } = state;
  return { turn, phase, hands, pool, discs, stacks: state.piles, links, heading: state.chain.heading, loose };
}

/** The chain in its order, as far as the facts of the turn have it; what was there before is guessed. */
function linksOf(state: ChainState, turn: ChainFact[]): number[] {
  const links: number[] = [];
  for (const fact of turn) {
    if (fact.kind === 'rolled' && fact.coloured) links.splice(0, links.length, fact.number);
    else if (fact.kind === 'linked' || fact.kind === 'added') links.push(fact.number);
  }
  const before = links.reduce(without, state.chain.numbers);
  if (before.length + links.length !== state.chain.numbers.length) return guessed(state.chain);
  return links.length ? [...before, ...links] : guessed(state.chain);
}

/** For a chain without its facts (a position that was set up): an order with the same end. */
function guessed({ numbers, last, heading }: ChainState['chain']): number[] {
  const before = without(numbers, last).toSorted((a, b) => (heading === 'up' ? a - b : b - a));
  return last ? [...before, last] : before;
}

const alike = (a: number[], b: number[]): boolean =>
  a.length === b.length && String(a.toSorted()) === String(b.toSorted());

function without(list: number[], item: number): number[] {
  const at = list.indexOf(item);
  return at < 0 ? list : list.toSpliced(at, 1);
}
