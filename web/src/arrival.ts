/** What happens when a screen is shown, besides its being drawn. */
import { tick } from 'svelte';

/** The user has begun to do something: the page no longer scrolls or moves the focus by itself. */
const DOING = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Wait until a screen has its heading, which may come with its data; then give it the focus and call `ready`. Scroll
 * down to `scroll` as soon as the page is long enough. Returns what ends the waiting.
 */
export function arrive(scroll: number, { focus, ready }: { focus: boolean; ready: () => void }): () => void {
  scrollTo(0, 0);
  let arrived = false;
  let scrolled = scroll <= 0;
  let doing = false;
  const look = () => {
    const heading = document.querySelector<HTMLElement>('main h1');
    if (heading && !arrived) {
      arrived = true;
      if (focus && !doing && isUnfocused()) focusOn(heading);
      void tick().then(ready); // the screen sets its title first
    }
    if (!scrolled && document.documentElement.scrollHeight >= scroll + innerHeight) {
      scrolled = true;
      scrollTo(0, scroll);
    }
    if (arrived && scrolled) end();
  };
  const giveUp = () => (doing = scrolled = true);
  const changes = new MutationObserver(look);
  const sizes = new ResizeObserver(look);
  const end = () => {
    changes.disconnect();
    sizes.disconnect();
    for (const kind of DOING) removeEventListener(kind, giveUp, true);
  };
  for (const kind of DOING) addEventListener(kind, giveUp, { capture: true, passive: true });
  changes.observe(document.body, { childList: true, subtree: true });
  sizes.observe(document.body);
  look();
  return end;
}

/** Whether nothing has the focus that somebody has put there. */
export function isUnfocused(): boolean {
  const now = document.activeElement;
  return !now || now === document.body || now.matches('h1');
}

function focusOn(heading: HTMLElement): void {
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
