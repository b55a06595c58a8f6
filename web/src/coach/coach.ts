/** What decisions are worth: asked of the server, and pure functions that make words and pictures of it. */
import { ApiError, json, post, type ReplayData } from '../api';
import type { AnalysisView, DecisionLine, PositionRequest, PositionSeen, RollsView, Waiting } from '../protocol';
import { turnAt, type Turn } from '../replay/replay';
import type { Texts } from '../texts/texts.svelte';

/** Any position, what may be done there, and what that is worth. */
export const lookAt = (wanted: PositionRequest): Promise<PositionSeen> => post('/api/positions', wanted);

/** All that the dice can show at a position that waits for them, and what to do then. */
export const rollsAt = (waiting: PositionRequest): Promise<RollsView> => post('/api/rolls', waiting);

const PATIENCE = 400;

/**
 * The analysis of a finished match, or of a record file. Raises ApiError: `no_evaluator` if nothing evaluates this
 * game.
 * `onwait` gets the number of requests before it.
 */
export async function analyse(
  match: string | null,
  record: string,
  onwait: (ahead: number) => void,
  wanted: () => boolean,
): Promise<AnalysisView> {
  while (wanted()) {
    const found = await (match === null
      ? post<AnalysisView | Waiting>('/api/analyses', { record })
      : json<AnalysisView | Waiting>(`/api/matches/${encodeURIComponent(match)}/analysis`));
    if (!('ahead' in found)) return found;
    onwait(found.ahead);
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
  }
  throw new ApiError('left', 'nobody waits for it any more');
}

/** The decisions that lost something worth a name. */
export const mistakesOf = ({ decisions }: AnalysisView): DecisionLine[] => decisions.filter(({ size }) => size !== '');

/**
 * What the best and the played action are worth, and what that lost, as shown: rounded first, so that it adds up; to
 * tenths where whole percents are equal.
 */
export function sharesOf(texts: Texts, { best, played, wins }: DecisionLine) {
  const [top = 0, own = 0] = [wins[best], wins[played]];
  const digits = texts.percent(top) === texts.percent(own) ? 1 : 0;
  const unit = 100 * 10 ** digits;
  const lost = (Math.round(top * unit) - Math.round(own * unit)) / unit;
  return { best: texts.percent(top, digits), share: texts.percent(own, digits), lost: texts.percent(lost, digits) };
}

/** Why another action would have been better, and what both are worth. */
export function sentence(texts: Texts, game: string, line: DecisionLine, names: string[]): string {
  const { best, played, reason, facts } = line;
  const whom = new Set(facts.map((fact) => names[Number(fact.victim ?? fact.seat)] ?? ''));
  return texts.lookup(reason, {
    ...facts[0],
    action: texts.action(game, best),
    instead: texts.action(game, played),
    names: texts.listed([...whom]),
    ...sharesOf(texts, line),
  });
}

/**
 * A seat's band between two lines, from left to right and back: `x` from 0 to the number of plies, `y` from 0 to 100.
 */
export function bandsOf(curve: number[][]): string[] {
  const seats = curve[0]?.length ?? 0;
  const tops = Array.from({ length: seats + 1 }, (_, seat) =>
    curve.map((shares) => 100 * shares.slice(0, seat).reduce((sum, share) => sum + share, 0)),
  );
  const line = (ys: number[]) => ys.map((y, x) => `${x} ${Math.round(y * 10) / 10}`);
  return Array.from(
    { length: seats },
    (_, seat) =>
      `M${line(tops[seat] ?? []).join('L')}L${line(tops[seat + 1] ?? [])
        .toReversed()
        .join('L')}z`,
  );
}

/**
 * Where a band has most room for its letter: how far along, and how far down, from 0 to 1; null if it has too little.
 */
export function roomOf(curve: number[][], seat: number): { x: number; y: number } | null {
  const margin = Math.ceil(curve.length * 0.04);
  let at = -1;
  for (let ply = margin; ply < curve.length - margin; ply++)
    if ((curve[ply]?.[seat] ?? 0) > (curve[at]?.[seat] ?? 0)) at = ply;
  const shares = curve[at];
  if (!shares || (shares[seat] ?? 0) < 0.2) return null;
  const above = shares.slice(0, seat).reduce((sum, share) => sum + share, 0);
  return { x: at / Math.max(1, curve.length - 1), y: above + (shares[seat] ?? 0) / 2 };
}

/** A line of the table that stands for the curve: how often each seat wins at the end of a turn. */
export interface CurveRow {
  turn: number;
  seat: number;
  ply: number;
  shares: number[];
}

export const rowsOf = ({ curve }: AnalysisView, turns: Turn[]): CurveRow[] =>
  turns.map(({ seat, to }, i) => ({ turn: i + 1, seat, ply: to, shares: curve[to] ?? [] }));

/** The turn in which a decision was made. */
export const turnOf = (turns: Turn[], { ply }: DecisionLine): number => turnAt(turns, ply - 1);

/** What it takes to play on from a moment of a replay: null once it is over. */
export function momentOf(
  replay: { start: unknown; steps: { position: unknown }[]; texts: string[] },
  ply: number,
): { text: string; seat: number } | null {
  const position = (ply ? replay.steps[ply - 1]?.position : replay.start) as
    { turn?: number; phase?: string } | undefined;
  const text = replay.texts[ply];
  if (text === undefined || position?.phase === 'over') return null;
  return { text, seat: Number(position?.turn ?? 0) };
}

/** The address of the editor, or of another screen that shows a position, with a position in it. */
export function editorOf(game: string, options: ReplayData['options'], text: string, screen = 'position'): string {
  const set = Object.entries(options).map(([name, value]) => [name, String(value)]);
  return `/${screen}/${game}#${new URLSearchParams([...set, ['at', text]]).toString()}`;
}

/** An estimate of a share, which may lie a little outside, as a share from 0 to 1. */
export const asShare = (estimate: number): number => Math.min(1, Math.max(0, estimate));
