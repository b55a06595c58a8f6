/**
 * The proof of the dice, checked in the browser by an implementation of its own (docs/fair-dice.md): the server is not
 * asked. WebCrypto is missing on pages that came over plain http from another machine, so hashing is a library's,
 * which
 * is loaded for a check.
 */
import type { Proof } from '../api';
import type { GameDice } from '../games/game';
import type { Pin } from '../match/pins';

export type Verdict =
  /** All rolls are those that the secret makes. */
  | { ok: true; rolls: number }
  /** The first roll that is wrong, both from 1. */
  | { ok: false; why: 'roll'; roll: number; ply: number }
  /** Not the secret of the seal; not the seal, or not the digits, that this device knows; nothing to check. */
  | { ok: false; why: 'secret' | 'seal' | 'digits' | 'no_secret' | 'no_proof' | 'real' };

/** What makes the rolls: the secret, the match, and the random digits of all seats. */
export type Source = Pick<Proof, 'secret' | 'match' | 'entropy'>;

const loadHashing = () => import('./hashing');

/** The numbers of outcomes, by the index of the roll. */
export async function outcomes(source: Source, sides: number): Promise<(index: number) => number> {
  const { bytesOf, keyedHash, textBytes } = await loadHashing();
  const secret = bytesOf(source.secret);
  const limit = 256 - (256 % sides);
  return (index) => {
    for (let block = 0; ; block++) {
      const message = ['escadaria-dice-1', source.match, ...source.entropy, index, block].join('\n');
      const byte = keyedHash(secret, textBytes(message)).find((other) => other < limit);
      if (byte !== undefined) return byte % sides;
    }
  };
}

/** The commitment to a secret. */
export async function sealOf(secret: string): Promise<string> {
  const { bytesOf, hash, hexOf } = await loadHashing();
  return hexOf(hash(bytesOf(secret)));
}

/** Compute every roll again. `actions` are all plies; what this device saw itself counts more than the record. */
export async function check(
  dice: GameDice | undefined,
  proof: Proof | null,
  actions: string[],
  pin: Pin | null = null,
): Promise<Verdict> {
  if (!proof || !dice) return { ok: false, why: 'no_proof' };
  if (pin?.commitment && pin.commitment !== proof.commitment) return { ok: false, why: 'seal' };
  if (pin?.digits.length && !pin.digits.some((own) => proof.entropy.includes(own)))
    return { ok: false, why: 'digits' };
  if (!proof.secret) return { ok: false, why: 'no_secret' };
  if (!/^([0-9a-f]{2})+$/i.test(proof.secret) || (await sealOf(proof.secret)) !== proof.commitment)
    return { ok: false, why: 'secret' };
  const rolls = actions.map((text, i) => ({ text, ply: i + 1 })).filter(({ text }) => dice.isRoll(text));
  const outcome = await outcomes(proof, dice.outcomes);
  const wrong = rolls.findIndex(({ text }, index) => text !== dice.roll(outcome(index)));
  if (wrong >= 0) return { ok: false, why: 'roll', roll: wrong + 1, ply: rolls[wrong]?.ply ?? 0 };
  return { ok: true, rolls: rolls.length };
}
