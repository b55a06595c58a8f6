/**
 * The registry of games. Each folder here is a game, and the folder's name is the game's name; nothing else names it.
 * A game without a folder gets the plain board. Covers come with the first screen, the other parts when they are
 * needed.
 */
import type { Cover } from './cover';
import type { GameParts, OptionEditors, Study } from './game';
import plainCover from './plain/cover';
import type { GamePrint } from './print';

const COVERS = byGame(import.meta.glob<Cover>(['./*/cover.ts', '!./plain/*'], { import: 'default', eager: true }));
const PARTS = byGame(import.meta.glob<GameParts>(['./*/index.ts', '!./plain/*'], { import: 'default' }));
const PLAIN = byGame(import.meta.glob<(game: string) => GameParts>('./plain/index.ts', { import: 'default' }));
const STUDIES = byGame(import.meta.glob<Study>('./*/study.ts', { import: 'default' }));

const OPTION_EDITORS = byGame(import.meta.glob<OptionEditors>('./*/options.ts', { import: 'default' }));
const PRINTS = byGame(import.meta.glob<GamePrint>('./*/print.ts', { import: 'default' }));

const loaded = new Map<string, GameParts>();
const studied = new Map<string, Study>();
const printed = new Map<string, GamePrint>();

/** The games with pictures, rules pages and lessons, in the order in which they are offered. */
export const GAME_NAMES = Object.entries(COVERS)
  .toSorted(([, a], [, b]) => a.order - b.order)
  .map(([name]) => name);

export const coverOf = (game: string): Cover => COVERS[game] ?? plainCover(game);

/** Load the parts of a game, once. */
export async function loadGame(game: string): Promise<GameParts> {
  const parts = loaded.get(game) ?? (await (PARTS[game]?.() ?? loadPlain(game)));
  loaded.set(game, parts);
  return parts;
}

async function loadPlain(game: string): Promise<GameParts> {
  const plain = await PLAIN.plain?.();
  if (!plain) throw new Error('there is no plain board');
  return plain(game);
}

/** The parts of a game that `loadGame` has loaded. */
export function partsOf(game: string): GameParts {
  const parts = loaded.get(game);
  if (!parts) throw new Error(`the parts of ${game} are not loaded`);
  return parts;
}

/** Load a game with its editor and its table of rolls; a game may have none. */
export async function loadStudy(game: string): Promise<void> {
  const [study] = await Promise.all([STUDIES[game]?.(), loadGame(game)]);
  if (study) studied.set(game, study);
}

/** The editor and the table of rolls that `loadStudy` has loaded. */
export const studyOf = (game: string): Study | null => studied.get(game) ?? null;

/** What edits options that take a text of one's own, by the name of the option; a game may have none. */
export const loadOptionEditors = async (game: string): Promise<OptionEditors> =>
  (await OPTION_EDITORS[game]?.()) ?? {};

/** Load what of a game can be printed; a game may have nothing. */
export async function loadPrint(game: string): Promise<void> {
  const print = await PRINTS[game]?.();
  if (print) printed.set(game, print);
}

/** What `loadPrint` has loaded. */
export const printOf = (game: string): GamePrint | null => printed.get(game) ?? null;

/** The modules of a glob by the name of their folder. */
function byGame<T>(modules: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(modules).map(([path, module]) => [path.split('/')[1] ?? '', module]));
}
