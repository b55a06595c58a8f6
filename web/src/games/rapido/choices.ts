/** What a player can choose in Rapido: pure, from the actions and previews that the server sends. */
import type { Preview } from '../../match/facts';
import type { SeatView } from '../../protocol';
import type { Texts } from '../../texts/texts.svelte';

/** A field on which the pair can be placed. */
export interface FieldChoice {
  action: string;
  field: number;
  /** The climb that it leads to. */
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
}

/** The fields that can be chosen, the highest first. */
export function fieldChoices({ legal, previews, seats, names, wins }: Known, texts: Texts): FieldChoice[] {
  const most = Math.max(...Object.values(wins));
  return legal
    .filter((action) => action.startsWith('place '))
    .map((action) => {
      const field = Number(action.slice(6));
      const outs = (previews[action]?.facts ?? [])
        .filter((fact) => fact.kind === 'threw_out')
        .map((fact) => Number(fact.victim))
        .map((seat) => ({ colours: seats[seat]?.colours[0] ?? 'red', name: names[seat] ?? '–' }));
      const what = climbWords(field, seats.length, texts);
      const win = wins[action];
      const best = win !== undefined && win === most;
      const thrown = outs.length
        ? `${texts.t('web.rapido.throws_out')} ${texts.listed(outs.map((out) => out.name))}`
        : texts.t('web.rapido.nobody');
      const share =
        win === undefined ? [] : [`${texts.percent(win)} ${texts.t(best ? 'web.coach.wins.best' : 'web.coach.wins')}`];
      return { action, field, what, outs, win, best, words: `${field}: ${[what, thrown, ...share].join(', ')}` };
    })
    .toSorted((a, b) => b.field - a.field);
}

/** What a pair on a field leads to; with two players only both pairs together score (R18). */
const climbWords = (field: number, players: number, texts: Texts): string =>
  texts.t(field ? (players === 2 ? 'web.rapido.worth.two' : 'web.rapido.worth') : 'web.rapido.safe.long', { field });
