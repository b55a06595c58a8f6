/** The analysis of one match, as it comes. */
import { ApiError } from '../api';
import { analyse } from './coach';
import type { AnalysisView } from '../protocol';

export class Coaching {
  found = $state.raw<AnalysisView | null>(null);
  /** How many others come before it, while it is waited for. */
  ahead = $state<number | null>(null);
  /** Why there is none. */
  problem = $state('');
  private closed = false;

  constructor(
    readonly match: string | null,
    readonly record: string,
  ) {
    void this.load();
  }

  async load(): Promise<void> {
    this.problem = '';
    try {
      this.found = await analyse(
        this.match,
        this.record,
        (ahead) => (this.ahead = ahead),
        () => !this.closed,
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error.code;
    }
  }

  close(): void {
    this.closed = true;
  }
}
