/** Opens a match as it was set up, and goes there. */
import { ApiError, fetchGames, openMatch, type Games } from '../api';
import { coverOf } from '../games';
import { router } from '../router.svelte';
import { expectScreen } from '../screens';
import { keepSeat, randomHex } from './tokens';
import { settings } from '../settings/settings.svelte';
import {
  botOf,
  coloursOf,
  lastForm,
  lateBots,
  ownSeat,
  usualForm,
  wish,
  type MatchForm,
  type Way,
} from '../screens/new/form';
import { colourName } from '../texts/texts.svelte';

/** Raises ApiError. */
export async function openTable(game: string, way: Way, form: MatchForm): Promise<void> {
  expectScreen('table', game); // it comes while the match is opened
  const own = ownSeat(form, way);
  const named = {
    ...form,
    seats: form.seats.map((seat, i) => (i === own ? { ...seat, name: settings.name } : seat)),
  };
  const { open, late } = wish(
    game,
    named,
    coloursOf(named, coverOf(game).colours(named.seats.length)),
    colourName,
    randomHex,
    way === 'real',
  );
  const opened = await openMatch(open);
  keepSeat(opened.match, { token: opened.token, game });
  if (late.length) lateBots.set(opened.match, late);
  router.go(`/t/${opened.match}`);
}

/** A match against bots at once, as it was set up the last time. */
export class QuickStart {
  /** What there is to play; null until it has come. */
  known = $state.raw<Games | null>(null);
  /** The game that is being opened. */
  busy = $state('');
  /** Why it was not; the code has a text: `error.CODE`. */
  problem = $state('');

  constructor() {
    void fetchGames().then(
      (games) => (this.known = games),
      () => undefined,
    );
  }

  formOf(game: string): MatchForm {
    return this.known ? lastForm(game, 'bots', this.known) : usualForm('bots');
  }

  botsOf(game: string): number {
    return this.formOf(game).seats.filter((seat) => botOf(seat.who) !== null).length;
  }

  async play(game: string): Promise<void> {
    this.busy = game;
    this.problem = '';
    try {
      await openTable(game, 'bots', lastForm(game, 'bots', this.known ?? (await fetchGames())));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error.code;
    } finally {
      this.busy = '';
    }
  }
}
