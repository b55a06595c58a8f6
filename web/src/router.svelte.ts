/** The addresses of the client, and a small router over the browser's history. */
import { recallTab, rememberTab } from './storage';

export type Route =
  | { screen: 'home' }
  | { screen: 'new'; game: string; how: string }
  | { screen: 'table'; match: string }
  | { screen: 'learn'; game: string }
  | { screen: 'rules'; game: string }
  | { screen: 'position'; game: string }
  | { screen: 'strategy'; game: string }
  | { screen: 'replay'; match: string | null }
  | { screen: 'about' }
  | { screen: 'print'; game: string; options: Record<string, string> }
  | { screen: 'lost' };

/** What an address shows. What is secret or fleeting (`watch`, `recover`, `ply`, `at`) stands in the fragment. */
export function routeOf(path: string, search = ''): Route {
  const [first = '', second = '', ...rest] = path.split('/').filter(Boolean).map(decode);
  if (rest.length) return { screen: 'lost' };
  if (!first) return { screen: 'home' };
  if (first === 'replay') return { screen: 'replay', match: second || null };
  if (first === 'about' && !second) return { screen: 'about' };
  if (!second) return { screen: 'lost' };
  switch (first) {
    case 'new':
      return { screen: 'new', game: second, how: new URLSearchParams(search).get('how') ?? 'bots' };
    case 't':
      return { screen: 'table', match: second };
    case 'print':
      return { screen: 'print', game: second, options: Object.fromEntries(new URLSearchParams(search)) };
    case 'learn':
    case 'rules':
    case 'position':
    case 'strategy':
      return { screen: first, game: second };
    default:
      return { screen: 'lost' };
  }
}

/** What stands in the fragment: `#ply=12` is `{ply: '12'}`. */
export const fragmentOf = (hash: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')));

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Routes of one screen and game or match: going from one to the other is no change of screen. */
function placeOf(route: Route): string {
  const { screen } = route;
  return JSON.stringify([screen, 'game' in route ? route.game : '', 'match' in route ? route.match : '']);
}

class Router {
  route = $state.raw<Route>(routeOf(location.pathname, location.search));
  fragment = $state.raw<Record<string, string>>(fragmentOf(location.hash));
  /** What stands after the question mark. */
  get query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(location.search));
  }
  /** How often another screen was shown. */
  changes = $state(0);
  /** How far down this screen was when it was left; 0 if it is new. */
  scroll = 0;

  /** The current entry of the history, which keeps its name in the state. */
  private entry = '';
  /** How far down each entry was when it was left. */
  private readonly left: Record<string, number> = recallTab('scroll', {});

  /** Follow the history and clicks on links of our own. */
  start(): void {
    history.scrollRestoration = 'manual'; // a screen is not there yet when the browser would scroll
    this.entry = this.currentEntry();
    this.scroll = this.left[this.entry] ?? 0;
    addEventListener('pagehide', () => {
      this.leave();
      rememberTab('scroll', this.left);
    });
    addEventListener('popstate', () => {
      this.leave();
      this.entry = this.currentEntry();
      this.read(this.left[this.entry]);
    });
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
      if (link.pathname.startsWith('/api/')) return;
      event.preventDefault();
      this.go(link.pathname + link.search + link.hash);
    });
  }

  go(address: string, { replace = false } = {}): void {
    if (replace) history.replaceState(history.state, '', address);
    else {
      this.leave();
      this.entry = newEntry();
      history.pushState({ entry: this.entry }, '', address);
    }
    this.read();
  }

  /** Change the fragment without a step in the history; without an argument, take it away. */
  setFragment(parts: Record<string, string | number> = {}): void {
    const text = new URLSearchParams(Object.entries(parts).map(([key, value]) => [key, String(value)])).toString();
    history.replaceState(history.state, '', location.pathname + location.search + (text && `#${text}`));
    this.fragment = fragmentOf(location.hash);
  }

  /** Show what the address says; `scroll` is how far down it was, if it was here before. */
  private read(scroll?: number): void {
    const before = placeOf(this.route);
    this.route = routeOf(location.pathname, location.search);
    this.fragment = fragmentOf(location.hash);
    this.scroll = scroll ?? 0;
    if (placeOf(this.route) !== before) this.changes += 1;
    else if (scroll !== undefined) scrollTo(0, scroll);
  }

  private leave(): void {
    this.left[this.entry] = Math.round(scrollY);
  }

  private currentEntry(): string {
    const { entry } = (history.state ?? {}) as { entry?: string };
    if (entry) return entry;
    const made = newEntry();
    history.replaceState({ entry: made }, '');
    return made;
  }
}

const newEntry = (): string => Math.random().toString(36).slice(2);

export const router = new Router();
