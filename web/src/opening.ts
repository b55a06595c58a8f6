/** Opens a match as it was set up, and goes there. */
import { openMatch } from './api';
import { coverOf } from './boards';
import { router } from './router.svelte';
import { expectScreen } from './screens';
import { keepSeat, randomHex } from './seats';
import { settings } from './settings.svelte';
import { coloursOf, lateBots, ownSeat, wish, type Setup, type Way } from './setup';
import { colourName } from './texts.svelte';

/** Raises ApiError. */
export async function openTable(game: string, way: Way, setup: Setup): Promise<void> {
  expectScreen('table'); // it comes while the match is opened
  const own = ownSeat(setup, way);
  const named = { ...setup, seats: setup.seats.map((seat, i) => (i === own ? { ...seat, name: settings.name } : seat)) };
  const { open, late } = wish(game, named, coloursOf(named, coverOf(game).colours(named.seats.length)), colourName, randomHex);
  const opened = await openMatch(open);
  keepSeat(opened.match, { token: opened.token, game });
  if (late.length) lateBots.set(opened.match, late);
  router.go(`/t/${opened.match}`);
}
