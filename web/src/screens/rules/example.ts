/** An example of the rules as pictures: pure functions from the server's data. */
import type { Cue, Script } from '../../match/cues';
import type { Fact, Step } from '../../match/facts';
import type { ExampleView, TryView } from '../../protocol';
import type { NewLine } from '../../match/stage.svelte';

/** What is shown of a position: its board, its dice, or both. */
export interface Picture {
  view: unknown;
  board: boolean;
  /** What is shown of the dice, which may be gone when the board is shown. */
  hand: unknown;
}

export interface After extends Picture {
  action: string;
  steps: Step[];
  facts: Fact[];
}

export interface Pictures {
  /** Null if there is nothing to see yet. */
  before: Picture | null;
  after: After[];
}

/** What it needs of a game's parts. */
export interface Drawn {
  script: Script;
  split(view: unknown): { board: unknown; hand: unknown; rolled: boolean };
}

/** The board is shown where it shows something, and the dice of what happens where they are others than before. */
export function picturesOf(example: ExampleView, { script, split }: Drawn): Pictures {
  const { position, turn, options, tries } = example;
  const view = script.view(position, turn, options);
  const start = split(view);
  const changed = (now: unknown, key: 'board' | 'hand') =>
    JSON.stringify(split(now)[key]) !== JSON.stringify(start[key]);

  const played = tries.map((one) => ({ one, ...playedOut(one, view, script, options) }));
  const board = tries.length ? played.some((end) => changed(end.view, 'board')) : !start.rolled;
  const after = played.map(({ one, view: end, seen }) => ({
    action: one.action,
    steps: one.steps,
    facts: one.steps.flatMap((step) => step.facts),
    view: end,
    board: board && changed(end, 'board'),
    // a die that missed is shown by the facts alone
    hand:
      seen.findLast(
        (now) =>
          split(now).rolled &&
          (changed(now, 'hand') || one.steps.some((step) => step.facts.some((fact) => fact.kind === 'missed'))),
      ) ?? null,
  }));
  const hand = start.hand === null ? null : view;
  return { before: board || hand !== null ? { view, board, hand } : null, after };
}

function playedOut(
  { steps }: TryView,
  view: unknown,
  script: Script,
  options: ExampleView['options'],
): { view: unknown; seen: unknown[] } {
  const seen: unknown[] = [];
  let now = view;
  for (const step of steps) {
    const plan = script.plan(now, step, options);
    seen.push(...plan.cues.map((cue: Cue) => cue.view), plan.view);
    now = plan.view;
  }
  return { view: now, seen };
}

/** Facts as lines of the log. */
export function linesOf(facts: Fact[], script: Script): NewLine[] {
  const lines: NewLine[] = [];
  for (const fact of facts) {
    const line: NewLine = { seat: fact.seat, fact };
    const last = lines.at(-1);
    const joined = last && script.join?.(last, line);
    lines.splice(joined ? -1 : lines.length, joined ? 1 : 0, joined || line);
  }
  return lines;
}
