/** What this device remembers. A browser that forbids it forgets, and nothing breaks. */

const PREFIX = 'escadaria.';

export function remember(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // private windows and full disks: the setting holds until the page is left
  }
}

export function recall<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

/** The keys that begin like this, without the beginning. */
export function remembered(start: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX + start))
      .map((key) => key.slice((PREFIX + start).length));
  } catch {
    return [];
  }
}

/** What this tab remembers, until it is closed. */
export function rememberTab(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // as above
  }
}

export function recallTab<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(sessionStorage.getItem(PREFIX + key) ?? 'null') as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}
