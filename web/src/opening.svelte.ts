/** Opens a match as it was set up, and goes there. */
import { ApiError, fetchGames, openMatch, type Games } from './api';
import { coverOf } from './boards';
import { router } from './router.svelte';
import { expectScreen } from './screens';
import { keepSeat, randomHex } from './seats';
import { settings } from './settings.svelte';
import { botOf, coloursOf, lastSetup, lateBots, ownSeat, usualSetup, wish, type Setup, type Way } from './setup';
import { colourName } from './texts.svelte';

/** Raises ApiError. */
export async function openTable(game: string, way: Way, setup: Setup): Promise<void> {
  expectScreen('table'); // it comes while the match is opened
  const own = ownSeat(setup, way);
  const named = { ...setup, seats: setup.seats.map((seat, i) => (i === own ? { ...seat, name: settings.name } : seat)) };
  const { open, late } = wish(game, named, coloursOf(named, coverOf(game).colours(named.seats.length)), colourName, randomHex);
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
    void fetchGames().then((games) => (this.known = games), () => undefined);
  }

  setupOf(game: string): Setup {
    return this.known ? lastSetup(game, 'bots', this.known) : usualSetup('bots');
  }

  botsOf(game: string): number {
    return this.setupOf(game).seats.filter((seat) => botOf(seat.who) !== null).length;
  }

  async play(game: string): Promise<void> {
    this.busy = game;
    this.problem = '';
    try {
      await openTable(game, 'bots', lastSetup(game, 'bots', this.known ?? (await fetchGames())));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error.code;
    } finally {
      this.busy = '';
    }
  }
}
