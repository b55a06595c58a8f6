/** Groups of radios with one tab stop: arrows, Home and End move the choice, and the focus goes with it. */

/** The buttons of such a group by key (`bind:this={radios.buttons[id]}`). */
export class Roving<K extends string | number> {
  readonly buttons = $state<Partial<Record<K, HTMLButtonElement | null>>>({});

  /** `chosen` is the key whose button has the focus if one has it: a choice can also be made elsewhere. */
  constructor(chosen: () => K | null) {
    $effect(() => {
      const key = chosen();
      const button = key === null ? null : this.buttons[key];
      const all: unknown[] = Object.values(this.buttons);
      if (button && all.includes(document.activeElement)) button.focus();
    });
  }

  /** A key was pressed at the button `at`, one of `keys`. Enter confirms. */
  press(
    event: KeyboardEvent,
    keys: K[],
    at: K,
    { choose, confirm, perRow }: { choose?: (key: K) => void; confirm?: (() => void) | undefined; perRow?: number },
  ): void {
    const to = rove(event.key, keys.indexOf(at), keys.length, perRow);
    const next = to === null ? undefined : keys[to];
    if (next !== undefined) {
      choose?.(next);
      this.buttons[next]?.focus();
    } else if (event.key === 'Enter' && confirm) confirm();
    else return;
    event.preventDefault();
  }
}

/**
 * The index to which a key leads from `at`, or null for other keys. A row or a list wraps around. In a grid with
 * `perRow` columns the arrows go in four directions, and stop at its edges.
 */
export function rove(key: string, at: number, count: number, perRow?: number): number | null {
  if (!count) return null;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const down = perRow ?? 1;
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: down, ArrowUp: -down }[key];
  if (by === undefined) return null;
  if (perRow === undefined) return (at + by + count) % count;
  return at + by >= 0 && at + by < count ? at + by : at;
}
