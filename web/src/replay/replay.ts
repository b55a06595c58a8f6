/** A whole match, laid out for looking at: pure functions from the server's replay. */
import type { Script } from '../match/cues';
import type { ReplayData } from '../api';
import type { Fact, Step } from '../match/facts';
import type { SeatView } from '../protocol';
import type { DieTally } from './tally';
import type { NewLine } from '../match/stage.svelte';

/** One player's turn: `from` and `to` are plies that had been played before and after it. */
export interface Turn {
  seat: number;
  from: number;
  to: number;
}

/**
 * A line of the log: what the plies up to `ply` brought. `first` is where it begins, where several are shown as one.
 */
export interface ReplayLine extends NewLine {
  ply: number;
  first: number;
  /** It happened at the table and not in the game. */
  remark?: boolean;
}

export interface Film {
  data: ReplayData;
  steps: Step[];
  /** What is shown after each number of plies: as many as there are steps, and the start. */
  views: unknown[];
  turns: Turn[];
  lines: ReplayLine[];
}

/** All pictures of a match, each made from the one before, as they were at the table. */
export function film(data: ReplayData, script: Script): Film {
  const { steps } = data;
  const views = [script.view(data.start, [], data.options)];
  for (const step of steps) views.push(script.plan(views.at(-1), step, data.options).view);
  return { data, steps, views, turns: turnsOf(data), lines: linesOf(data, steps, script) };
}

const turnOf = (position: unknown): number => Number((position as { turn?: number } | null)?.turn ?? 0);

export function turnsOf({ start, steps }: Pick<ReplayData, 'start' | 'steps'>): Turn[] {
  const turns: Turn[] = [];
  let seat = turnOf(start);
  let from = 0;
  steps.forEach(({ position }, i) => {
    const next = turnOf(position);
    if (next === seat && i < steps.length - 1) return;
    turns.push({ seat, from, to: i + 1 });
    [seat, from] = [next, i + 1];
  });
  return turns;
}

/** The turn, counted from 1, after this number of plies; at the end of a turn that is the next one. */
export const turnAt = (turns: Turn[], ply: number): number =>
  turns.findIndex(({ to }) => ply < to) + 1 || turns.length;

export function linesOf({ remarks }: ReplayData, steps: Step[], script: Script): ReplayLine[] {
  const lines: ReplayLine[] = [];
  const addRemarks = (ply: number) => {
    for (const { seat, action } of remarks.filter((remark) => remark.ply === ply))
      lines.push({
        seat,
        key: action === 'undo' ? 'web.event.corrected' : `web.event.${action.split(' ')[0]}`,
        ply,
        first: ply,
        remark: true,
      });
  };
  addRemarks(0);
  steps.forEach(({ facts }, i) => {
    const ply = i + 1;
    for (const fact of facts) {
      const last = lines.at(-1);
      const line: NewLine = { seat: fact.seat, fact };
      const joined = last && !last.remark ? script.join?.(last, line) : null;
      if (joined && last) lines.splice(-1, 1, { ...joined, ply, first: last.first });
      else lines.push({ ...line, ply, first: ply });
    }
    addRemarks(ply);
  });
  return lines;
}

/** The last line that is shown after this number of plies; -1 before the first. */
export const lineAt = (lines: ReplayLine[], ply: number): number => lines.findLastIndex((line) => line.first <= ply);

/** The seats as they were after this number of plies: who had given up, for whom a bot played. */
export function seatsAt({ seats, remarks }: ReplayData, ply: number): SeatView[] {
  return seats.map(({ name, bot, colours }, i) => {
    const actions = remarks.filter((remark) => remark.seat === i && remark.ply <= ply).map(({ action }) => action);
    const stand = actions.findLast((action) => action === 'back' || action.startsWith('bot '));
    return {
      name,
      bot: bot || (stand?.startsWith('bot ') ? stand.slice(4) : null),
      owner: bot ? 'bot' : 'person',
      colours,
      here: true,
      stand_in_at: null,
      resigned: actions.includes('resign'),
    };
  });
}

// Statistics.

export const factsOf = (steps: Step[]): Fact[] => steps.flatMap(({ facts }) => facts);

// The dice against their expectation.

/** How likely it is that `n` rolls show a face of chance `p` at most `k` times. */
export function atMost(n: number, k: number, p: number): number {
  let log = n * Math.log1p(-p);
  let sum = 0;
  for (let i = 0; i <= k; i++) {
    sum += Math.exp(log);
    log += Math.log((n - i) / (i + 1)) + Math.log(p / (1 - p));
  }
  return Math.min(1, sum);
}

const RARE = 0.05;
/** Fewer rolls of a die say nothing. */
export const FEWEST = 12;

export interface Luck {
  rolls: number;
  expected: number;
  /** Between these counts all faces stay in 19 of 20 matches with fair dice. */
  low: number;
  high: number;
  /** The face that is furthest outside, if one is. */
  odd: number | null;
}

/** How the counts of a die compare with what fair dice do; `faces` are all that are looked at, of all dice. */
export function luckOf({ counts }: DieTally, faces: number): Luck {
  const rolls = counts.reduce((sum, n) => sum + n, 0);
  const p = 1 / counts.length;
  const share = RARE / faces / 2; // the more faces, the more chances to look odd
  let low = 0;
  while (low < rolls && atMost(rolls, low, p) < share) low++;
  let high = low;
  while (high < rolls && 1 - atMost(rolls, high, p) >= share) high++;
  const expected = rolls * p;
  const out = counts.map((n) => (n < low || n > high ? Math.abs(n - expected) : 0));
  const most = Math.max(...out);
  return { rolls, expected, low, high, odd: most > 0 ? out.indexOf(most) : null };
}
