import { readMore } from '../texts.svelte';

/** A screen with texts that few others say. */
const worded = async <S>(screen: Promise<S>): Promise<S> => (await Promise.all([screen, readMore()]))[0];

/** The screens that are fetched when they are wanted: whoever is likely to go there soon may ask a little earlier. */
export const screens = {
  new: () => import('./NewMatch.svelte'),
  table: () => import('./Table.svelte'),
  learn: () => import('./Learn.svelte'),
  rules: () => import('./Rules.svelte'),
  position: () => worded(import('./Position.svelte')),
  strategy: () => worded(import('./Strategy.svelte')),
  replay: () => import('./Replay.svelte'),
};

/** Ask for a screen, so that it is here when it is shown; whether it comes is seen then. */
export function expectScreen(name: string): void {
  if (Object.hasOwn(screens, name)) screens[name as keyof typeof screens]().catch(() => undefined);
}
