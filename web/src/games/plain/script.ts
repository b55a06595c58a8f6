/** A game that has no board of its own: its position field by field, and the dice of the last roll. */
import { TIME, type Cue, type Options, type Plan, type Script } from '../../match/cues';
import type { Fact, Step } from '../../match/facts';

export interface PlainView {
  game: string;
  turn: number;
  /** Fields with an entry for each seat. */
  bySeat: { name: string; values: string[] }[];
  /** The other fields, but the turn. */
  fields: { name: string; value: string }[];
  /** The faces of the last roll in this turn; null before it. */
  dice: string[] | null;
  rolls: number;
}

export type PlainCue = Cue<PlainView> & ({ kind: 'roll'; dice: string[] } | { kind: 'log' });

/** The faces of a roll: a fact of the kind `rolled` has them as its `number` or its `dice`. */
export function facesOf(fact: Fact): string[] | null {
  if (fact.kind !== 'rolled') return null;
  const { number, dice } = fact;
  if (Array.isArray(dice)) return dice.map(String);
  if (typeof number === 'number') return [String(number)];
  return typeof dice === 'string' ? [...dice] : null;
}

const word = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(word).join(' ') || '–';
  if (value !== null && typeof value === 'object')
    return (
      Object.entries(value)
        .map(([name, part]) => `${name} ${word(part)}`)
        .join(' ') || '–'
    );
  if (typeof value === 'boolean') return value ? '✓' : '–';
  return value === null || value === '' ? '–' : String(value as string | number);
};

const label = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

export const plainScript = (game: string): Script<PlainView, PlainCue> => ({
  view: (position, turn, options) =>
    shown(
      game,
      position,
      options,
      turn.map(facesOf).filter((dice) => dice !== null),
    ),

  plan(view, step: Step, options): Plan<PlainView, PlainCue> {
    const cues: PlainCue[] = [];
    let now = view;
    for (const fact of step.facts) {
      const dice = facesOf(fact);
      const facts = [fact];
      if (dice) {
        now = { ...now, dice, rolls: now.rolls + 1 };
        cues.push({
          kind: 'roll',
          dice,
          seat: fact.seat,
          ms: TIME.tumble + TIME.quick,
          view: now,
          facts,
          sounds: [{ at: 260, sound: { name: 'dice' } }],
        });
      } else cues.push({ kind: 'log', seat: fact.seat, ms: TIME.flight, view: now, facts, sounds: [] });
    }
    const after = shown(game, step.position, options, []);
    const kept = after.turn === view.turn ? { dice: now.dice, rolls: now.rolls } : { dice: null, rolls: 0 };
    return { cues, view: { ...after, ...kept } };
  },
});

function shown(game: string, position: unknown, options: Options, rolls: string[][]): PlainView {
  const { turn, ...fields } = position as Record<string, unknown> & { turn: number };
  const isBySeat = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.length === Number(options.players);
  const entries = Object.entries(fields);
  return {
    game,
    turn,
    bySeat: entries.flatMap(([name, value]) =>
      isBySeat(value) ? [{ name: label(name), values: value.map(word) }] : [],
    ),
    fields: entries.flatMap(([name, value]) => (isBySeat(value) ? [] : [{ name: label(name), value: word(value) }])),
    dice: rolls.at(-1) ?? null,
    rolls: rolls.length,
  };
}
