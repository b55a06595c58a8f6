/** Lines of the log in words. */
import type { SeatView } from './protocol';
import type { LogLine } from './stage.svelte';
import type { Texts } from './texts.svelte';

export function lineText(texts: Texts, game: string, line: LogLine, seats: SeatView[]): string {
  const names = seats.map((seat) => seat.name ?? '–');
  if (line.fact) return texts.fact(game, line.fact, names);
  const args = Object.entries(line.args ?? {}).map(([name, value]) => [name, Array.isArray(value) ? texts.listed(value.map(String)) : value]);
  return texts.t(line.key ?? '', { name: names[line.seat] ?? '–', ...Object.fromEntries(args) });
}
