import { loadGame, loadPrint, loadStudy } from '../games';
import { seatOf } from '../match/tokens';
import type { Route } from '../router.svelte';
import { readParts } from '../texts/texts.svelte';
import { TEXTS } from './pages';

/** A screen together with what it needs to be shown. */
const withAll = async <S>(screen: Promise<S>, ...needs: Promise<unknown>[]): Promise<S> =>
  (await Promise.all([screen, ...needs]))[0];

/** Load the texts of a screen. */
const textsOf = (screen: keyof typeof TEXTS): Promise<void> => readParts(...TEXTS[screen]);

/** The screens that are fetched when they are needed, with their game; a link may fetch one a little earlier. */
export const screens = {
  new: () => withAll(import('./new/NewMatch.svelte'), textsOf('new')),
  /** The game of a table is known where this device has a seat; else the match says it. */
  table: (game: string) => {
    if (game) loadGame(game).catch(() => undefined);
    return withAll(import('./table/Table.svelte'), textsOf('table'));
  },
  learn: (game: string) => withAll(import('./learn/Learn.svelte'), loadGame(game), textsOf('learn')),
  rules: (game: string) => withAll(import('./rules/Rules.svelte'), loadGame(game), textsOf('rules')),
  position: (game: string) => withAll(import('./position/Position.svelte'), loadStudy(game), textsOf('position')),
  strategy: (game: string) => withAll(import('./strategy/Strategy.svelte'), loadStudy(game), textsOf('strategy')),
  about: () => withAll(import('./about/About.svelte'), textsOf('about')),
  print: (game: string) => withAll(import('./print/Print.svelte'), loadPrint(game), textsOf('print')),
  replay: () => withAll(import('./replay/Replay.svelte'), textsOf('replay')),
};

/** Fetch a screen before it is shown. If that fails, showing it fails too, and says so. */
export function expectScreen(name: string, game = ''): void {
  if (Object.hasOwn(screens, name)) screens[name as keyof typeof screens](game).catch(() => undefined);
}

/** Fetch the screen of a route before it is shown. */
export function expectRoute(route: Route): void {
  const seat = 'match' in route && route.match ? seatOf(route.match) : null;
  expectScreen(route.screen, 'game' in route ? route.game : (seat?.game ?? ''));
}
