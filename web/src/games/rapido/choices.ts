/** What a player can choose in Rapido: pure, from the actions and previews that the server sends. */
import type { Preview } from '../../match/facts';
import type { SeatView } from '../../protocol';
import type { Texts } from '../../texts/texts.svelte';

/** A field on which the pair can be placed. */
export interface FieldChoice {
  action: string;
  field: number;
  /** The steps that it leads to if it stays: with two players those of both pairs together (R18). */
  climb: number;
  /** The same in words. */
  what: string;
  /** The seats that are thrown out. */
  outs: { colours: string; name: string }[];
  /** How often it wins, and whether nothing wins more often; undefined if nobody wants to know. */
  win: number | undefined;
  best: boolean;
  /** All of it, for screen readers. */
  words: string;
}

interface Known {
  legal: readonly string[];
  previews: Record<string, Preview>;
  seats: readonly Pick<SeatView, 'colours'>[];
  names: readonly string[];
  wins: Record<string, number>;
  /** The fields on which other pairs of the player lie. */
  lying: readonly number[];
}

/** The fields on which pairs of a seat lie. */
export const lyingOf = (tower: readonly { seat: number; field: number }[], seat: number): number[] =>
  tower.filter((pair) => pair.seat === seat).map(({ field }) => field);

/** The steps that a pair on a field leads to, together with others of the same player. */
export const climbOf = (field: number, lying: readonly number[]): number =>
  lying.reduce((sum, other) => sum + other, field);

/** The fields that can be chosen, the highest first. */
export function fieldChoices({ legal, previews, seats, names, wins, lying }: Known, texts: Texts): FieldChoice[] {
  const most = Math.max(...Object.values(wins));
  return legal
    .filter((action) => action.startsWith('place '))
    .map((action) => {
      const field = Number(action.slice(6));
      const outs = (previews[action]?.facts ?? [])
        .filter((fact) => fact.kind === 'threw_out')
        .map((fact) => Number(fact.victim))
        .map((seat) => ({ colours: seats[seat]?.colours[0] ?? 'red', name: names[seat] ?? '–' }));
      const climb = climbOf(field, lying);
      const what = climbWords(field, climb, seats.length, texts);
      const win = wins[action];
      const best = win !== undefined && win === most;
      const thrown = outs.length
        ? `${texts.t('web.rapido.throws_out')} ${texts.listed(outs.map((out) => out.name))}`
        : texts.t('web.rapido.nobody');
      const share =
        win === undefined ? [] : [`${texts.percent(win)} ${texts.t(best ? 'web.coach.wins.best' : 'web.coach.wins')}`];
      const words = `${field}: ${[what, thrown, ...share].join(', ')}`;
      return { action, field, climb, what, outs, win, best, words };
    })
    .toSorted((a, b) => b.field - a.field);
}

/** What a pair on a field leads to; with two players only both pairs together score (R18). */
const climbWords = (field: number, climb: number, players: number, texts: Texts): string =>
  players === 2 && climb
    ? texts.t('web.rapido.worth.two', { climb })
    : texts.t(field ? 'web.rapido.worth' : 'web.rapido.safe.long', { field });
