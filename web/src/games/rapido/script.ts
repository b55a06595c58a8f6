/** Rapido for the eye: what is shown of a position, and how a step moves it. No rules, only what the facts say. */
import { facesOf } from './dice';
import { TIME, type Cue, type Options, type Plan, type Script, type Word } from '../../match/cues';
import type { Fact, Step } from '../../match/facts';
import type { RapidoFact, RapidoState } from '../../protocol';

/** A pair on the tower. In a game for two each seat has two colours; `colour` says which. */
export interface PairView {
  field: number;
  seat: number;
  value: number;
  colour: number;
  /** The faces of die A and die B. A position does not say them for field 0: null unless the placing was seen. */
  dice: [string, string] | null;
}

/** The dice in front of the player whose turn it is. */
export interface HandView {
  seat: number;
  colour: number;
  /** The faces of die A and die B; null before the first roll. */
  dice: [string, string] | null;
  value: number;
  /** How often they were rolled in this turn. */
  rolls: number;
}

export interface RapidoView {
  turn: number;
  phase: RapidoState['phase'];
  steps: number[];
  tower: PairView[];
  hand: HandView;
}

/** From which step a piece moves to which. */
interface Way {
  from: number;
  to: number;
}
interface Base extends Cue<RapidoView> {}
export type RapidoCue =
  | (Base & { kind: 'roll'; dice: [string, string] })
  /** A double: its dice glow before the piece climbs. */
  | (Base & { kind: 'double' } & Way)
  | (Base & { kind: 'climb' } & Way)
  /** An X on a later roll: the dice shake before the piece falls. `next` is the seat that plays then. */
  | (Base & { kind: 'bust'; next: number } & Way)
  | (Base & { kind: 'fall' } & Way)
  | (Base & { kind: 'place'; field: number; value: number; dice: [string, string]; colour: number })
  | (Base & { kind: 'out'; victims: PairView[] })
  /** A seat's pairs come back when they have scored. */
  | (Base & { kind: 'back'; pairs: PairView[] })
  | (Base & { kind: 'win' });

/** Milliseconds between pairs that are thrown out. */
export const OUT_APART = 80;

export const rapido: Script<RapidoView, RapidoCue> = {
  view(position, turn) {
    const state = position as RapidoState;
    const used = new Map<number, number>();
    const tower = state.tower.map((pair) => {
      const colour = used.get(pair.seat) ?? 0;
      used.set(pair.seat, colour + 1);
      return { ...pair, colour, dice: pair.field ? facesOf(pair.value) : null };
    });
    const view: RapidoView = {
      turn: state.turn,
      phase: state.phase,
      steps: state.steps,
      tower,
      hand: freshHand(state.turn, tower),
    };
    const rolls = (turn as RapidoFact[]).filter((fact) => fact.kind === 'rolled' && fact.seat === state.turn);
    const last = rolls.at(-1);
    if (last?.kind === 'rolled')
      return { ...view, hand: { ...view.hand, dice: faces(last.dice), value: last.value, rolls: rolls.length } };
    // a position that was set up: nobody saw the roll
    return state.phase === 'decide'
      ? { ...view, hand: { ...view.hand, dice: facesOf(state.value), value: state.value, rolls: 1 } }
      : view;
  },

  plan(view, step, options): Plan<RapidoView, RapidoCue> {
    const cues: RapidoCue[] = [];
    let now = view;
    let untold: Fact[] = [];
    const cue: Add = (made, after) => {
      now = after;
      const last = cues.at(-1);
      if (last?.kind === 'out' && made.kind === 'out') {
        // thrown out together: each a little after the one before
        cues[cues.length - 1] = {
          ...last,
          victims: [...last.victims, ...made.victims],
          ms: last.ms + OUT_APART,
          brief: (last.brief ?? last.ms) + OUT_APART,
          facts: [...last.facts, ...untold],
          view: now,
        };
      } else cues.push({ sounds: [], ...made, facts: untold, view: now });
      untold = [];
    };
    for (const fact of step.facts as RapidoFact[]) {
      untold.push(fact);
      follow(fact, now, cue, options, (step.position as RapidoState).turn);
    }
    // the step's own position has the last word; the hand and the colours are what it does not contain
    return { cues, view: settled(now, step) };
  },

  harms: (fact, seat) => fact.kind === 'threw_out' && fact.victim === seat,
};

/** A cue without what `plan` adds to it. */
type Made<C> = C extends RapidoCue ? Omit<C, 'facts' | 'view' | 'sounds'> & Partial<Pick<C, 'sounds'>> : never;
type Add = (made: Made<RapidoCue>, after: RapidoView) => void;

/** Adds the cues of one fact. A moment that concerns a player lasts 1 to 1.5 seconds; others see it briefly. */
function follow(fact: RapidoFact, view: RapidoView, cue: Add, options: Options, next: number): void {
  const { seat } = fact;
  const from = view.steps[seat] ?? 0;
  const moved = (step: number): RapidoView => ({ ...view, steps: view.steps.with(seat, step) });
  switch (fact.kind) {
    case 'rolled_again':
      return; // the roll that follows shows it
    case 'rolled': {
      const dice = faces(fact.dice);
      const hand = { ...view.hand, seat, dice, value: fact.value, rolls: view.hand.rolls + 1 };
      const sounds = [{ at: 260, sound: { name: 'dice' as const } }];
      return cue(
        { kind: 'roll', seat, ms: TIME.tumble * 1.15 + TIME.quick, brief: 480, dice, sounds },
        { ...view, hand },
      );
    }
    case 'doubled': {
      const to = Math.min(fact.step, finishOf(options, fact.step));
      const word: Word = { key: 'web.rapido.word.double', args: { steps: fact.climbed }, tone: 'good' };
      const sounds = [4, 7].map((note, i) => ({ at: i * 140, sound: { name: 'link' as const, note } }));
      cue({ kind: 'double', seat, from, to, ms: 1000, brief: TIME.flight, word, sounds }, view);
      return cue(climb(seat, from, to), moved(fact.step));
    }
    case 'fell': {
      const { fallen, step: to } = fact;
      const word: Word = fallen
        ? { key: 'web.rapido.word.bust', args: { steps: fallen }, tone: 'bad' }
        : { key: 'web.rapido.word.bust.start', tone: 'bad' };
      const sounds = [{ at: 0, sound: { name: 'miss' as const } }];
      cue({ kind: 'bust', seat, from, to, next, ms: 1400, brief: 600, word, sounds }, view);
      if (!fallen) return;
      const ms = TIME.step * fallen + TIME.quick;
      return cue({ kind: 'fall', seat, from, to, ms, brief: 240, sounds: notes('fall', from, to) }, moved(to));
    }
    case 'placed': {
      const { field, value } = fact;
      const { colour } = view.hand;
      const dice = view.hand.dice ?? facesOf(value);
      const tower = [...view.tower, { field, seat, value, colour, dice }];
      const sounds = [{ at: TIME.flight, sound: { name: 'place' as const } }];
      return cue(
        { kind: 'place', seat, field, value, dice, colour, ms: TIME.flight + TIME.quick, brief: 380, sounds },
        { ...view, tower, hand: { ...view.hand, dice: null } },
      );
    }
    case 'threw_out': {
      const victims = view.tower.filter((pair) => pair.seat === fact.victim && pair.field === fact.field);
      const tower = view.tower.filter((pair) => !victims.includes(pair));
      const word: Word = { key: 'web.rapido.word.out', tone: 'bad' };
      const sounds = [{ at: 400, sound: { name: 'out' as const } }];
      return cue({ kind: 'out', seat, victims, ms: 1200, brief: 480, word, sounds }, { ...view, tower });
    }
    case 'scored': {
      const pairs = view.tower.filter((pair) => pair.seat === seat);
      const tower = view.tower.filter((pair) => pair.seat !== seat);
      const after = { ...moved(fact.step), turn: seat, tower };
      if (fact.climbed) {
        const to = Math.min(fact.step, finishOf(options, fact.step));
        const word: Word = { key: 'web.rapido.word.score', args: { steps: fact.climbed }, tone: 'good' };
        cue({ ...climb(seat, from, to, 1000), word }, { ...moved(fact.step), turn: seat });
      }
      return cue({ kind: 'back', seat, pairs, ms: TIME.flight * 0.7, brief: 150 }, after);
    }
    case 'won': {
      const word: Word = { key: 'web.rapido.word.win', tone: 'good' };
      return cue({ kind: 'win', seat, ms: TIME.win, word, sounds: [{ at: 0, sound: { name: 'win' } }] }, view);
    }
  }
}

const finishOf = (options: Options, otherwise: number): number => Number(options.finish ?? otherwise);

function climb(seat: number, from: number, to: number, least = 0) {
  const steps = Math.max(1, to - from);
  const ms = Math.max(least, TIME.step * steps);
  const sounds = notes('climb', from, to, ms / steps);
  return { kind: 'climb' as const, seat, from, to, ms, brief: 120 + 70 * steps, sounds };
}

/** A note for each step, `each` milliseconds apart. */
const notes = (name: 'climb' | 'fall', from: number, to: number, each: number = TIME.step) =>
  Array.from({ length: Math.abs(to - from) }, (_, i) => ({
    at: each * i,
    sound: { name, note: from + Math.sign(to - from) * (i + 1) },
  }));

function settled(shown: RapidoView, step: Step): RapidoView {
  const state = step.position as RapidoState;
  const left = [...shown.tower];
  const tower = state.tower.map((pair) => {
    const at = left.findIndex((known) => known.seat === pair.seat && known.field === pair.field);
    const known = at < 0 ? undefined : left.splice(at, 1)[0];
    if (known && (known.value === pair.value || !pair.field)) return known;
    return { ...pair, colour: known?.colour ?? 0, dice: pair.field ? facesOf(pair.value) : null };
  });
  const same = state.turn === shown.hand.seat && shown.hand.dice !== null;
  return {
    turn: state.turn,
    phase: state.phase,
    steps: state.steps,
    tower,
    hand: same && state.phase !== 'first' ? shown.hand : freshHand(state.turn, tower),
  };
}

/** The dice that a seat takes up: of its two colours the one that does not lie on the tower. */
function freshHand(seat: number, tower: PairView[]): HandView {
  const taken = tower.some((pair) => pair.seat === seat && pair.colour === 0);
  return { seat, colour: taken ? 1 : 0, dice: null, value: 0, rolls: 0 };
}

const faces = (dice: string): [string, string] => [dice.charAt(0), dice.charAt(1)];
