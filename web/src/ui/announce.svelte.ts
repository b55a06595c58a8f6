import { untrack } from 'svelte';

/** The one polite live region: whole sentences, at most one for each event. */
class Announcement {
  text = $state('');
}

export const announcement = new Announcement();

export function announce(text: string): void {
  if (!text) return;
  // said again, the same words must differ, or nobody hears them
  const before = untrack(() => announcement.text);
  announcement.text = text === before ? `${text}\u00A0` : text;
}
