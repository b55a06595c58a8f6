import { ApiError, fetchRules } from '../../api';
import type { RulesView } from '../../protocol';

/** The rules of a game as the server sends them, for the pages that show or print them. */
export class LoadedRules {
  view = $state.raw<RulesView | null>(null);
  /** Why they could not be fetched. */
  problem = $state('');

  constructor(private readonly game: string) {}

  async load(): Promise<void> {
    this.problem = '';
    try {
      this.view = await fetchRules(this.game);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error.code;
    }
  }
}
