/** Opens a practice table at a position, against bots, and goes there. */
import { openMatch } from '../api';
import { router } from '../router.svelte';
import { expectScreen } from '../screens';
import { keepSeat, randomHex } from './tokens';
import { settings } from '../settings/settings.svelte';
import { BOT } from '../screens/new/form';
import { colourName } from '../texts/texts.svelte';
import type { Options } from './cues';
import { asColour } from '../draw/colours';

export interface Trial {
  game: string;
  options: Options;
  /** The position's text. */
  text: string;
  /** The seat to play; bots take the others. */
  seat: number;
  colours: string[];
}

/** Raises ApiError. */
export async function tryFrom({ game, options, text, seat, colours }: Trial): Promise<void> {
  expectScreen('table', game);
  const own = colours.map((colour) => asColour(colour));
  const opened = await openMatch({
    game,
    options,
    settings: { practice: true },
    people: [{ name: settings.name.trim() || colourName(own[0] ?? 'red'), seat, colours: own, entropy: randomHex() }],
    bots: Array.from({ length: Number(options.players) - 1 }, () => BOT),
    start: true,
    start_from: text,
  });
  keepSeat(opened.match, { token: opened.token, game });
  router.go(`/t/${opened.match}`);
}
