/** What a person has set on this device; everything follows at once. */
import { recall, remember } from '../storage';

export const SPEEDS = [0, 0.5, 1, 2] as const; // they multiply times: 2 is slow, 0 is off
export type Theme = 'auto' | 'light' | 'dark';

const saved = recall<Record<string, unknown>>('settings', {});
const pick = <T>(key: string, allowed: readonly T[], otherwise: T): T =>
  allowed.find((value) => value === saved[key]) ?? otherwise;

const system = {
  dark: matchMedia('(prefers-color-scheme: dark)'),
  still: matchMedia('(prefers-reduced-motion: reduce)'),
};

class Settings {
  theme = $state<Theme>(pick('theme', ['auto', 'light', 'dark'], 'auto'));
  speed = $state<number>(pick('speed', SPEEDS, 1));
  muted = $state<boolean>(pick('muted', [true, false], false));
  /** Whether the compulsory first roll is made without asking. */
  autoRoll = $state<boolean>(pick('autoRoll', [true, false], false));
  /** Whether choices at practice tables show what they are worth. */
  bars = $state<boolean>(pick('bars', [true, false], false));
  /** Whether it is said aloud whose turn it is, where real dice are rolled. */
  speak = $state<boolean>(pick('speak', [true, false], false));
  /** The name to sit down with. */
  name = $state<string>(typeof saved.name === 'string' ? saved.name : '');
  /** What the system wants. */
  systemDark = $state(system.dark.matches);
  systemStill = $state(system.still.matches);

  get dark(): boolean {
    return this.theme === 'auto' ? this.systemDark : this.theme === 'dark';
  }

  /** No flights: positions change by a short fade. */
  get still(): boolean {
    return this.systemStill || this.speed === 0;
  }
}

export const settings = new Settings();

/** Keep the document and the storage in step with the settings; called once, and never undone. */
export function followSettings(): void {
  system.dark.addEventListener('change', (event) => (settings.systemDark = event.matches));
  system.still.addEventListener('change', (event) => (settings.systemStill = event.matches));
  $effect.root(() => {
    $effect(() => {
      const root = document.documentElement;
      if (settings.theme === 'auto') delete root.dataset.theme;
      else root.dataset.theme = settings.theme;
      root.style.setProperty('--speed', String(settings.speed));
    });
    $effect(() => {
      const { theme, speed, muted, autoRoll, bars, speak, name } = settings;
      remember('settings', { theme, speed, muted, autoRoll, bars, speak, name });
    });
  });
}
