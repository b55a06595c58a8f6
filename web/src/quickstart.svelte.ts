/** A match against bots at once, as it was set up the last time. */
import { ApiError, fetchGames, type Games } from './api';
import { openTable } from './opening';
import { botOf, lastSetup, usualSetup, type Setup } from './setup';

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
