/** What others did while a player waited, for the board: pure, from facts. */
import { facesOf } from './dice';
import type { Fact } from '../../match/facts';
import type { RapidoFact } from '../../protocol';

export interface Climb {
  seat: number;
  from: number;
  to: number;
}

/** From where each piece came that is elsewhere now. */
export function climbsOf(traces: readonly Fact[], steps: readonly number[]): Climb[] {
  const from = new Map<number, number>();
  for (const fact of traces as readonly RapidoFact[]) {
    const way =
      fact.kind === 'scored' || fact.kind === 'doubled' ? fact.climbed : fact.kind === 'fell' ? -fact.fallen : 0;
    if (way && 'step' in fact && !from.has(fact.seat)) from.set(fact.seat, fact.step - way);
  }
  return [...from]
    .map(([seat, start]) => ({ seat, from: start, to: steps[seat] ?? start }))
    .filter((climb) => climb.from !== climb.to);
}

export interface Thrown {
  seat: number;
  /** In a game for two, which of the seat's two colours: one that does not lie on the tower. */
  colour: number;
  field: number;
  value: number;
  dice: [string, string];
}

/** The pairs that were thrown out of fields that are still empty. */
export function thrownOut(
  traces: readonly Fact[],
  tower: readonly { field: number; seat: number; colour: number }[],
): Thrown[] {
  const thrown = new Map<number, Thrown>();
  const taken = (seat: number) =>
    [...tower, ...thrown.values()].some((pair) => pair.seat === seat && pair.colour === 0);
  for (const fact of traces as readonly RapidoFact[])
    if (fact.kind === 'threw_out' && !tower.some((pair) => pair.field === fact.field))
      thrown.set(fact.field, {
        seat: fact.victim,
        colour: taken(fact.victim) ? 1 : 0,
        field: fact.field,
        value: fact.value,
        dice: facesOf(fact.value),
      });
  return [...thrown.values()];
}
