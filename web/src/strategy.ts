/** How to play well: rules of thumb with what they are worth, and charts; pure functions that make words of them. */
import { json } from './api';
import type { Texts } from './texts.svelte';

/** A rule of thumb; they are told in the order in which they help. */
export interface Rule {
  /** Its text is `strategy.GAME.NAME`, with `args` for its placeholders. */
  name: string;
  args: Record<string, number>;
  /** The least value for each field, where the rule is about that. */
  least: Record<string, number>;
  /** What is lost per game by who follows this rule and all before it; where games are counted, of a fair share. */
  loss: number;
}

/** How well somebody plays: the rules, the chart, or a bot by its name. */
export interface Quality {
  who: string;
  loss: number;
  error: number;
  wins: number;
  wins_error: number;
  games: number;
}

/** When to stop. A cell says the least `value` for it, null for never; or whether to `lengthen` (1) or not (0). */
export interface Chart {
  name: string;
  kind: 'value' | 'lengthen';
  rows: string[];
  columns: string[];
  cells: (number | null)[][];
  /** The share of decisions of good play that it tells rightly. */
  right: number;
}

/** All there is for a game and a number of players. */
export interface Advice {
  players: number;
  /** Whether losses are exact, by the values that ship, or nothing but games was counted. */
  source: 'exact' | 'values' | 'games';
  /** Whom the games were played against. */
  rivals: string;
  rules: Rule[];
  qualities: Quality[];
  charts: Chart[];
}

/** By number of players. Raises ApiError: `bad_options` if there is none for the game. */
export const fetchAdvice = (game: string): Promise<Advice[]> => json(`/api/strategy/${encodeURIComponent(game)}`);

/** A rule in words. Those about least values list them, the highest field first: "5 from 72 up". */
export function ruleText(texts: Texts, game: string, { name, args, least }: Rule): string {
  const fields = Object.entries(least).sort(([a], [b]) => Number(b) - Number(a));
  const listed = texts.listed(fields.map(([field, value]) => texts.t(`strategy.${game}.from`, { field, value })));
  return texts.t(`strategy.${game}.${name}`, { ...args, least: listed });
}

/** How strict a chart's cell is, from 0 to 1 between its least and its most; null where it says never. */
export function strictness({ cells }: Chart): (cell: number | null) => number | null {
  const known = cells.flat().filter((cell) => cell !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (cell) => (cell === null ? null : high === low ? 0 : (cell - low) / (high - low));
}
