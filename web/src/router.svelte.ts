/** The addresses of the client, and a small router over the browser's history. */

export type Route =
  | { screen: 'home' }
  | { screen: 'new'; game: string; how: string }
  | { screen: 'table'; match: string }
  | { screen: 'learn'; game: string }
  | { screen: 'rules'; game: string }
  | { screen: 'position'; game: string }
  | { screen: 'strategy'; game: string }
  | { screen: 'replay'; match: string | null }
  | { screen: 'lost' };

/** What an address shows. What is secret or fleeting (`watch`, `recover`, `ply`, `at`) stands in the fragment. */
export function routeOf(path: string, search = ''): Route {
  const [first = '', second = '', ...rest] = path.split('/').filter(Boolean).map(decode);
  if (rest.length) return { screen: 'lost' };
  if (!first) return { screen: 'home' };
  if (first === 'replay') return { screen: 'replay', match: second || null };
  if (!second) return { screen: 'lost' };
  switch (first) {
    case 'new':
      return { screen: 'new', game: second, how: new URLSearchParams(search).get('how') ?? 'bots' };
    case 't':
      return { screen: 'table', match: second };
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

class Router {
  route = $state.raw<Route>(routeOf(location.pathname, location.search));
  fragment = $state.raw<Record<string, string>>(fragmentOf(location.hash));

  /** Follow the history and clicks on links of our own. */
  start(): void {
    addEventListener('popstate', () => this.read());
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
    history[replace ? 'replaceState' : 'pushState'](null, '', address);
    const before = this.route;
    this.read();
    if (JSON.stringify(before) !== JSON.stringify(this.route)) scrollTo(0, 0);
  }

  /** Change the fragment without a step in the history; without an argument, take it away. */
  setFragment(parts: Record<string, string | number> = {}): void {
    const text = new URLSearchParams(Object.entries(parts).map(([key, value]) => [key, String(value)])).toString();
    history.replaceState(null, '', location.pathname + location.search + (text && `#${text}`));
    this.fragment = fragmentOf(location.hash);
  }

  private read(): void {
    this.route = routeOf(location.pathname, location.search);
    this.fragment = fragmentOf(location.hash);
  }
}

export const router = new Router();
