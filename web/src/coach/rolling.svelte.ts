/** All rolls at positions that are looked at one after the other: the last one asked for counts. */
import { ApiError } from '../api';
import { rollsAt } from './coach';
import type { Options } from '../match/cues';
import type { RollsView } from '../protocol';

export class Rolling {
  found = $state.raw<RollsView[] | null>(null);
  /** What it is that was found. */
  key = $state('');
  busy = $state(false);
  problem = $state('');
  private asked = 0;

  /** Find out what all rolls bring at these positions, which wait for dice. What was found before stays until then. */
  async look(game: string, options: Options, texts: string[]): Promise<void> {
    const mine = ++this.asked;
    this.busy = true;
    try {
      const found = await Promise.all(texts.map((position) => rollsAt({ game, options, position })));
      if (mine !== this.asked) return;
      this.found = found;
      this.key = texts.join();
      this.problem = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine !== this.asked) return;
      this.found = null;
      this.problem = error.code;
    }
    this.busy = false;
  }
}
