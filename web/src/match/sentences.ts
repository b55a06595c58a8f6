/** Lines of the log in words. */
import type { SeatView } from '../protocol';
import type { LogLine } from './stage.svelte';
import type { Texts } from '../texts/texts.svelte';

/** `you` is the reader's seat: sentences about it say "you" instead of the name. A fact without words is a "…". */
export function lineText(
  texts: Texts,
  game: string,
  line: LogLine,
  seats: SeatView[],
  you: number | null = null,
): string {
  const names = seats.map((seat) => seat.name ?? '–');
  if (line.fact)
    try {
      return texts.fact(game, line.fact, names, you);
    } catch {
      return '…'; // one bad line must not take the whole log away
    }
  const args = Object.entries(line.args ?? {}).map(([name, value]) => [
    name,
    Array.isArray(value) ? texts.listed(value.map(String)) : value,
  ]);
  return texts.about(line.key ?? '', line.seat, names, you, Object.fromEntries(args));
}
