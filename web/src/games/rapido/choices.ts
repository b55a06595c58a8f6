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
  /** The pairs that are thrown out. */
  outs: { colours: string; name: string }[];
  /** "then Clara wins", if another player wins after it; else empty. */
  loses: string;
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
  tower: readonly { seat: number; field: number; colour: number }[];
  /** The fields on which other pairs of the player lie. */
  lying: readonly number[];
  you: number | null;
}

/** The fields on which pairs of a seat lie. */
export const lyingOf = (tower: readonly { seat: number; field: number }[], seat: number): number[] =>
  tower.filter((pair) => pair.seat === seat).map(({ field }) => field);

/** The steps that a pair on a field leads to, together with others of the same player. */
export const climbOf = (field: number, lying: readonly number[]): number =>
  lying.reduce((sum, other) => sum + other, field);

/** The fields that can be chosen, the highest first. */
export function fieldChoices(known: Known, texts: Texts): FieldChoice[] {
  const { legal, previews, seats, names, wins, tower, lying, you } = known;
  const most = Math.max(...Object.values(wins));
  return legal
    .filter((action) => action.startsWith('place '))
    .map((action) => {
      const field = Number(action.slice(6));
      const facts = previews[action]?.facts ?? [];
      const outs = facts
        .filter((fact) => fact.kind === 'threw_out')
        .map((fact) => {
          const seat = Number(fact.victim);
          const pair = tower.find((one) => one.seat === seat && one.field === fact.field);
          const colours = seats[seat]?.colours ?? [];
          return { colours: colours[pair?.colour ?? 0] ?? colours[0] ?? 'red', name: names[seat] ?? '–' };
        });
      const won = facts.find((fact) => fact.kind === 'won');
      const loses = won ? texts.preview('rapido', won, [...names], you) : '';
      const climb = climbOf(field, lying);
      const what = climbWords(field, climb, seats.length, texts);
      const win = wins[action];
      const best = win !== undefined && win === most;
      const thrown = outs.length
        ? `${texts.t('web.rapido.throws_out')} ${texts.listed([...new Set(outs.map((out) => out.name))])}`
        : texts.t('web.rapido.nobody');
      const share =
        win === undefined ? [] : [`${texts.percent(win)} ${texts.t(best ? 'web.coach.wins.best' : 'web.coach.wins')}`];
      const words = `${field}: ${[what, thrown, loses, ...share].filter(Boolean).join(', ')}`;
      return { action, field, climb, what, outs, loses, win, best, words };
    })
    .toSorted((a, b) => b.field - a.field);
}

/** What a pair on a field leads to; with two players only both pairs together score (R18). */
const climbWords = (field: number, climb: number, players: number, texts: Texts): string =>
  players === 2 && climb
    ? texts.t('web.rapido.worth.two', { climb })
    : texts.t(field ? 'web.rapido.worth' : 'web.rapido.safe.long', { field });
