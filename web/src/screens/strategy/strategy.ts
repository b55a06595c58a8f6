/** How to play well: pure functions that turn heuristics and charts into words. */
import type { Chart, Rule } from '../../protocol';
import type { Texts } from '../../texts/texts.svelte';

/** A rule in words. Those about least values list them, the highest field first: "5 from 72 up". */
export function ruleText(texts: Texts, game: string, { name, args, least }: Rule): string {
  const fields = Object.entries(least).toSorted(([a], [b]) => Number(b) - Number(a));
  const listed = texts.listed(fields.map(([field, value]) => texts.lookup(`strategy.${game}.from`, { field, value })));
  return texts.lookup(`strategy.${game}.${name}`, { ...args, least: listed });
}

/** How strict a chart's cell is, from 0 to 1 between its least and its most; null where it says never. */
export function strictness({ cells }: Chart): (cell: number | null) => number | null {
  const known = cells.flat().filter((cell) => cell !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (cell) => (cell === null ? null : high === low ? 0 : (cell - low) / (high - low));
}
