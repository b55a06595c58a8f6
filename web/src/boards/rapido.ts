/** Rapido for the eye: what is shown of a position, and how a step moves it. No rules, only what the facts tell. */
import { facesOf } from '../draw/dice';
import { TIME, type Cue, type Options, type Plan, type Script } from '../anim';
import type { Fact, Step } from '../facts';
import type { RapidoFact, RapidoState } from '../protocol';

/** A pair on the tower. In a game for two each seat has two colours; `colour` says which. */
export interface PairView {
  field: number;
  seat: number;
  value: number;
  colour: number;
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

interface Base extends Cue<RapidoView> {}
export type RapidoCue =
  | (Base & { kind: 'roll'; dice: [string, string] })
  /** A double: its dice glow before the piece climbs. */
  | (Base & { kind: 'glow' })
  | (Base & { kind: 'climb'; from: number; to: number })
  | (Base & { kind: 'shake' })
  | (Base & { kind: 'fall'; from: number; to: number })
  | (Base & { kind: 'place'; field: number; value: number; colour: number })
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
      return { ...pair, colour };
    });
    const view: RapidoView = { turn: state.turn, phase: state.phase, steps: state.steps, tower, hand: freshHand(state.turn, tower) };
    const rolls = (turn as RapidoFact[]).filter((fact) => fact.kind === 'rolled' && fact.seat === state.turn);
    const last = rolls.at(-1);
    if (last?.kind === 'rolled') return { ...view, hand: { ...view.hand, dice: faces(last.dice), value: last.value, rolls: rolls.length } };
    // a position that was set up: nobody saw the roll
    return state.phase === 'decide' ? { ...view, hand: { ...view.hand, dice: facesOf(state.value), value: state.value, rolls: 1 } } : view;
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
        cues[cues.length - 1] = { ...last, victims: [...last.victims, ...(made.victims ?? [])], ms: last.ms + OUT_APART, facts: [...last.facts, ...untold], view: now };
      } else cues.push({ sounds: [], facts: untold, view: now, ...made } as RapidoCue);
      untold = [];
    };
    for (const fact of step.facts as RapidoFact[]) {
      untold.push(fact as unknown as Fact);
      follow(fact, now, cue, options);
    }
    // the step's own position has the last word; the hand and the colours are what it does not tell
    return { cues, view: settled(now, step) };
  },
};

type Add = (made: { kind: RapidoCue['kind']; seat: number; ms: number; victims?: PairView[] } & Partial<RapidoCue>, after: RapidoView) => void;

function follow(fact: RapidoFact, view: RapidoView, cue: Add, options: Options): void {
  const { seat } = fact;
  const moved = (step: number): RapidoView => ({ ...view, steps: view.steps.with(seat, step) });
  switch (fact.kind) {
    case 'rolled_again':
      return; // the roll that follows shows it
    case 'rolled': {
      const dice = faces(fact.dice);
      const hand = { ...view.hand, seat, dice, value: fact.value, rolls: view.hand.rolls + 1 };
      const sounds = [{ at: 260, sound: { name: 'dice' as const } }];
      return cue({ kind: 'roll', seat, ms: TIME.tumble * 1.15 + TIME.quick, dice, sounds }, { ...view, hand });
    }
    case 'doubled':
      cue({ kind: 'glow', seat, ms: TIME.flight }, view);
      return climb(fact.seat, fact.step, view, moved(fact.step), cue, options);
    case 'fell': {
      const from = view.steps[seat] ?? 0;
      cue({ kind: 'shake', seat, ms: TIME.flight, sounds: [{ at: 0, sound: { name: 'miss' } }] }, view);
      if (fact.fallen)
        cue({ kind: 'fall', seat, from, to: fact.step, ms: TIME.step * fact.fallen + TIME.quick, sounds: notes('fall', from, fact.step) }, moved(fact.step));
      return;
    }
    case 'placed': {
      const { field, value } = fact;
      const { colour } = view.hand;
      const tower = [...view.tower, { field, seat, value: field ? value : 0, colour }];
      const sounds = [{ at: TIME.flight, sound: { name: 'place' as const } }];
      return cue({ kind: 'place', seat, field, value, colour, ms: TIME.flight + TIME.quick, sounds }, { ...view, tower, hand: { ...view.hand, dice: null } });
    }
    case 'threw_out': {
      const victims = view.tower.filter((pair) => pair.seat === fact.victim && pair.field === fact.field);
      const tower = view.tower.filter((pair) => !victims.includes(pair));
      return cue({ kind: 'out', seat, victims, ms: TIME.flight, sounds: [{ at: 60, sound: { name: 'out' } }] }, { ...view, tower });
    }
    case 'scored': {
      const pairs = view.tower.filter((pair) => pair.seat === seat);
      const tower = view.tower.filter((pair) => pair.seat !== seat);
      const after = { ...moved(fact.step), turn: seat, tower };
      if (fact.climbed) {
        climb(seat, fact.step, view, { ...moved(fact.step), turn: seat }, cue, options);
      }
      return cue({ kind: 'back', seat, pairs, ms: TIME.flight * 0.7 }, after);
    }
    case 'won':
      return cue({ kind: 'win', seat, ms: TIME.win, sounds: [{ at: 0, sound: { name: 'win' } }] }, view);
  }
}

function climb(seat: number, to: number, view: RapidoView, after: RapidoView, cue: Add, options: Options): void {
  const from = view.steps[seat] ?? 0;
  const top = Math.min(to, Number(options.finish ?? to));
  cue({ kind: 'climb', seat, from, to: top, ms: TIME.step * Math.max(1, top - from), sounds: notes('climb', from, top) }, after);
}

const notes = (name: 'climb' | 'fall', from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) }, (_, i) => ({
    at: TIME.step * i,
    sound: { name, note: from + Math.sign(to - from) * (i + 1) },
  }));

function settled(shown: RapidoView, step: Step): RapidoView {
  const state = step.position as RapidoState;
  const left = [...shown.tower];
  const tower = state.tower.map((pair) => {
    const at = left.findIndex((known) => known.seat === pair.seat && known.field === pair.field);
    const known = at < 0 ? undefined : left.splice(at, 1)[0];
    return { ...pair, colour: known?.colour ?? 0 };
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
