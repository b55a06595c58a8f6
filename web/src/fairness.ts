/**
 * The proof of the dice, checked here by an implementation of our own (docs/fair-dice.md): the server is not asked.
 * Browsers keep WebCrypto from pages that came over plain http from another machine; there SHA-256 is our own too.
 */
import type { ProofLine } from './api';
import { recall, remember, remembered } from './storage';

/** What the check needs of cryptography. */
export interface Hashing {
  sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** HMAC-SHA256 by this key. */
  keyed(key: Uint8Array<ArrayBuffer>): Promise<(message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>>;
}

/** How many outcomes a roll has, how it reads, and which text is a roll. */
const GAMES: Record<string, { sides: number; dice(number: number): string; rolls: RegExp }> = {
  rapido: {
    sides: 36,
    dice: (number) => '12347X'.charAt(Math.floor(number / 6)) + '12356X'.charAt(number % 6),
    rolls: /^[12347X][12356X]$/,
  },
  chain: { sides: 6, dice: (number) => String(number + 1), rolls: /^[1-6]$/ },
};

/** Whether the dice of a game can be worked out here; those of others by `escadaria verify`. */
export const canCheck = (game: string): boolean => Object.hasOwn(GAMES, game);

export type Verdict =
  /** All rolls are those that the secret makes; `own` says that SHA-256 was ours. */
  | { ok: true; rolls: number; own: boolean }
  /** The first roll that is wrong, both from 1. */
  | { ok: false; why: 'roll'; roll: number; ply: number; own: boolean }
  /** Not the secret of the seal; not the seal, or not the digits, that this device knows; nothing to check. */
  | { ok: false; why: 'secret' | 'seal' | 'digits' | 'no_secret' | 'no_proof' };

/** What this device saw of the seal before the match was over. */
export interface Pin {
  commitment: string;
  /** Plies that had been played when it was first seen. */
  plies: number;
  /** All random digits that this device sent for its seats; those of one seat are enough to make dice nobody could choose. */
  digits: string[];
}

/** The number of a roll's outcome. */
export async function outcome(hash: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>, match: string, entropy: string[], index: number, sides: number): Promise<number> {
  const limit = 256 - (256 % sides);
  for (let block = 0; ; block++) {
    const bytes = await hash(ascii(['escadaria-dice-1', match, ...entropy, index, block].join('\n')));
    for (const byte of bytes) if (byte < limit) return byte % sides;
  }
}

/** The dice of a roll, as a record has them. */
export async function diceOf(game: string, hash: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>, match: string, entropy: string[], index: number): Promise<string> {
  const known = GAMES[game];
  if (!known) throw new Error(`the dice of ${game} are not known here`);
  return known.dice(await outcome(hash, match, entropy, index, known.sides));
}

/** Work every roll out again. `actions` are all plies; what this device saw itself counts more than the record. */
export async function check(game: string, proof: ProofLine | null, actions: string[], pin: Pin | null = null, hashing: Hashing = usual()): Promise<Verdict> {
  const known = GAMES[game];
  if (!proof || !known) return { ok: false, why: 'no_proof' };
  if (pin?.commitment && pin.commitment !== proof.commitment) return { ok: false, why: 'seal' };
  if (pin?.digits.length && !pin.digits.some((own) => proof.entropy.includes(own))) return { ok: false, why: 'digits' };
  if (!proof.secret) return { ok: false, why: 'no_secret' };
  const secret = bytesOf(proof.secret);
  if (hexOf(await hashing.sha256(secret)) !== proof.commitment) return { ok: false, why: 'secret' };
  const own = hashing === ownHashing;
  const hash = await hashing.keyed(secret);
  const rolls = actions.map((text, i) => ({ text, ply: i + 1 })).filter(({ text }) => known.rolls.test(text));
  const wanted = await Promise.all(rolls.map((_, index) => diceOf(game, hash, proof.match, proof.entropy, index)));
  const wrong = rolls.findIndex(({ text }, index) => text !== wanted[index]);
  if (wrong >= 0) return { ok: false, why: 'roll', roll: wrong + 1, ply: rolls[wrong]?.ply ?? 0, own };
  return { ok: true, rolls: rolls.length, own };
}

// What this device saw, kept so that a refresh cannot exchange it.

const MOST = 60;

export const pinOf = (match: string): Pin | null => recall<(Pin & { seen: number }) | null>(`seal.${match}`, null);

/** Keep the seal the first time it is seen, and never another one. */
export function pinSeal(match: string, commitment: string, plies: number): void {
  const before = pinOf(match);
  if (!before?.commitment) keep(match, { digits: [], ...before, commitment, plies });
}

/** Keep the digits that this device sends for its seats; without any, forget them: it has no seat any more. */
export function pinDigits(match: string, digits: string[]): void {
  const before = pinOf(match) ?? { commitment: '', plies: 0, digits: [] };
  const all = digits.length ? [...before.digits, ...digits.filter(Boolean)] : [];
  if (all.length !== before.digits.length) keep(match, { ...before, digits: all });
}

function keep(match: string, pin: Pin): void {
  remember(`seal.${match}`, { ...pin, seen: Date.now() });
  const all = remembered('seal.').map((id) => ({ id, seen: recall<{ seen?: number } | null>(`seal.${id}`, null)?.seen ?? 0 }));
  for (const { id } of all.sort((a, b) => b.seen - a.seen).slice(MOST)) remember(`seal.${id}`, undefined);
}

// Cryptography: the browser's, or ours.

const usual = (): Hashing => (globalThis.crypto?.subtle ? webHashing : ownHashing);

export const webHashing: Hashing = {
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
  async keyed(key) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return async (message) => new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
  },
};

export const ownHashing: Hashing = {
  sha256: async (bytes) => sha256(bytes),
  async keyed(key) {
    const block = new Uint8Array(64);
    block.set(key.length > 64 ? sha256(key) : key);
    const pad = (mark: number, rest: Uint8Array) => Uint8Array.from([...block.map((byte) => byte ^ mark), ...rest]);
    return async (message) => sha256(pad(0x5c, sha256(pad(0x36, message))));
  },
};

// Its constants: the first 32 bits of the fractions of the square and cube roots of the first primes.
const PRIMES = Array.from({ length: 311 }, (_, n) => n + 2).filter((n) => Array.from({ length: n - 2 }, (_, d) => d + 2).every((d) => n % d));
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
const START = PRIMES.slice(0, 8).map((prime) => fraction(prime ** (1 / 2)));
const ROUNDS = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));

/** SHA-256 as in FIPS 180-4. */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by));
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  bytes.forEach((byte, i) => padded.setUint8(i, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  padded.setUint32(padded.byteLength - 4, bytes.length << 3);
  const state = Uint32Array.from(START);
  const w = new Uint32Array(64);
  for (let at = 0; at < padded.byteLength; at += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = padded.getUint32(at + 4 * i);
      else {
        const [x, y] = [w[i - 15]!, w[i - 2]!];
        w[i] = w[i - 16]! + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[i - 7]! + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setUint32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

const ascii = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0));
export const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));
export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
