/** What goes over HTTP. */
import { pinDigits, pinSeal } from './fairness';
import type { LessonView, Now, Open, Opened, RulesView, StepView } from './protocol';

export type Catalogue = Record<string, string | { forms: string[]; counted: string }>;

export interface GameOption {
  name: string;
  default: number | string | boolean;
  ruling: string;
  low: number;
  high: number;
  choices: string[];
  free_text: boolean;
}

export interface GameInfo {
  name: string;
  rules_version: number;
  options: GameOption[];
}

export interface Games {
  games: GameInfo[];
  bots: string[];
}

/** What it takes to check the dice; `secret` is empty until the match is over. */
export interface ProofLine {
  match: string;
  commitment: string;
  entropy: string[];
  secret: string;
}

/** A record, with every position and fact of it. */
export interface ReplayData {
  game: string;
  options: Record<string, boolean | number | string>;
  date: string;
  /** `fair`, `seed 7`, `system` or `scripted`. */
  dice: string;
  seats: { name: string; bot: string; colours: string[] }[];
  winner: number | null;
  ruling: string | null;
  proof: ProofLine | null;
  start: unknown;
  steps: StepView[];
  /** Each position in one line, the start first. */
  texts: string[];
  /** What happened at the table when this many plies had been played. */
  remarks: { ply: number; seat: number; action: string }[];
  /** Whether there is an analysis. */
  judged: boolean;
  /** The record itself. */
  text: string;
}

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
/** The texts of a language; `later` those that only a few pages say. */
export const fetchTexts = (language: string, later = false): Promise<Catalogue> => json(`/api/texts/${language}${later ? '/later' : ''}`);
export const fetchMatch = (match: string): Promise<Now> => json(`/api/matches/${encodeURIComponent(match)}`);
/** Where others can reach the server; empty if it listens to this machine alone. */
export const fetchAddresses = (): Promise<{ addresses: string[] }> => json('/api/addresses');
/** The record of a finished match, as text. */
export const fetchRecord = async (match: string): Promise<string> => (await request(`/api/matches/${encodeURIComponent(match)}/record`)).text();
/** A finished match, position by position. */
export const fetchReplay = (match: string): Promise<ReplayData> => json(`/api/matches/${encodeURIComponent(match)}/replay`);
/** A record file, position by position. */
export const readRecord = (record: string): Promise<ReplayData> => post('/api/replays', { record });

/** Open a match. The dice are sealed first: only then the digits that this device adds to them are worth something. */
export async function openMatch(wanted: Open): Promise<Opened> {
  const sealed = await post<{ match: string; commitment: string }>('/api/seals', {});
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
  const { code = 'internal', message = answer.statusText, ruling } = (refusal ?? {}) as { code?: string; message?: string; ruling?: string };
  throw new ApiError(code, message, ruling);
}
