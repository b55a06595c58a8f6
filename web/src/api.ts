/** What goes over HTTP. */
import { pinDigits, pinSeal } from './match/pins';
import type { Games, LessonView, Open, Opened, ReplayData, RulesView, Sealed, Standing, Strategy } from './protocol';

export type Catalogue = Record<string, string | { forms: string[]; counted: string }>;
/** The parts of the texts: a screen loads those that it shows (`i18n/__init__.py`). */
export const TEXT_PARTS = ['home', 'play', 'learn', 'study'] as const;
export type TextPart = (typeof TEXT_PARTS)[number];

export type { GameInfo, GameOption, Games, Proof, ReplayData } from './protocol';

/** A request that the server refused, or that did not reach it (`offline`). The code has a text: `error.CODE`. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The ruling by which it was refused, if one says so. */
    readonly ruling = '',
  ) {
    super(message);
  }
}

let games: Promise<Games> | undefined;
/** The games, their options and the bots. Asked for once: they stay the same until the server is another. */
export const fetchGames = (): Promise<Games> =>
  (games ??= json<Games>('/api/games').catch((error: unknown) => {
    games = undefined;
    throw error;
  }));
/** The full rules of a game, and its guided first game. */
export const fetchRules = (game: string): Promise<RulesView> => json(`/api/rules/${encodeURIComponent(game)}`);
export const fetchLesson = (game: string): Promise<LessonView> => json(`/api/lessons/${encodeURIComponent(game)}`);
/**
 * How to play a game well, by number of players. Raises ApiError: `bad_options` if there is no advice for the game.
 */
export const fetchStrategy = (game: string): Promise<Strategy[]> => json(`/api/strategy/${encodeURIComponent(game)}`);
/** A part of the texts of a language. */
export const fetchTexts = (language: string, part: TextPart): Promise<Catalogue> =>
  json(`/api/texts/${language}/${part}`);
/** How a match stands; with the token of a seat also its play, and which seats are one's own. */
export const fetchMatch = (match: string, token: string): Promise<Standing> =>
  json(`/api/matches/${encodeURIComponent(match)}`, { headers: { Authorization: `Bearer ${token}` } });
/** Where others can reach the server; empty if it listens to this machine alone. */
export const fetchAddresses = (): Promise<{ addresses: string[] }> => json('/api/addresses');
/** The record of a finished match, as text. */
export const fetchRecord = async (match: string): Promise<string> =>
  (await request(`/api/matches/${encodeURIComponent(match)}/record`)).text();
/** A finished match, position by position. */
export const fetchReplay = (match: string): Promise<ReplayData> =>
  json(`/api/matches/${encodeURIComponent(match)}/replay`);
/** A record file, position by position. */
export const readRecord = (record: string): Promise<ReplayData> => post('/api/replays', { record });

/** Check options of a game. Raises ApiError, with the ruling that they break. */
export const checkOptions = (game: string, options: Record<string, boolean | number | string>): Promise<unknown> =>
  post('/api/options', { game, options });

/** Open a match. The dice are sealed first: only then the digits that this device adds to them are worth something. */
export async function openMatch(wanted: Open): Promise<Opened> {
  if (wanted.settings?.dice === 'real') return post<Opened>('/api/matches', wanted); // nothing to seal
  const sealed = await post<Sealed>('/api/seals', {});
  pinSeal(sealed.match, sealed.commitment, 0);
  pinDigits(sealed.match, wanted.people?.map(({ entropy = '' }) => entropy) ?? []);
  return post<Opened>('/api/matches', { ...wanted, match: sealed.match });
}

export const post = <T>(path: string, body: unknown): Promise<T> =>
  json(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await request(path, init)).json()) as T;
}

async function request(path: string, init?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (error) {
    throw new ApiError('offline', String(error));
  }
  if (answer.ok) return answer;
  const refusal: unknown = await answer.json().catch(() => null);
  const {
    code = 'internal',
    message = answer.statusText,
    ruling,
  } = (refusal ?? {}) as { code?: string; message?: string; ruling?: string };
  throw new ApiError(code, message, ruling);
}
