import { describe, expect, it } from 'vitest';
import vectors from '../../tests/fair_dice_vectors.json';
import { bytesOf, check, diceOf, hexOf, outcome, ownHashing, sha256, webHashing } from './fairness';

const SIDES = { rapido: 36, chain: 6 } as Record<string, number>;

describe.each([
  ['the browser’s', webHashing],
  ['our own', ownHashing],
])('the test vectors by %s cryptography', (_, hashing) => {
  it.each(vectors)('$game $match', async ({ game, secret, commitment, match, entropy, rolls }) => {
    expect(hexOf(await hashing.sha256(bytesOf(secret)))).toBe(commitment);
    const hash = await hashing.keyed(bytesOf(secret));
    for (const roll of rolls) {
      expect(await outcome(hash, match, entropy, roll.index, SIDES[game] ?? 0)).toBe(roll.number);
      expect(await diceOf(game, hash, match, entropy, roll.index)).toBe(roll.dice);
    }
  });
});

describe('our own SHA-256', () => {
  it('is the browser’s for every length around its blocks', async () => {
    const key = bytesOf('00ff'.repeat(16));
    const [hash, browsers] = [await ownHashing.keyed(key), await webHashing.keyed(key)];
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) % 256);
      expect(hexOf(sha256(bytes))).toBe(hexOf(await webHashing.sha256(bytes)));
      expect(hexOf(await hash(bytes))).toBe(hexOf(await browsers(bytes)));
    }
    const long = Uint8Array.from({ length: 100 }, (_, i) => i);
    expect(hexOf(await (await ownHashing.keyed(long))(key))).toBe(hexOf(await (await webHashing.keyed(long))(key)));
  });
});

describe('a check', async () => {
  const { game, secret, commitment, match, entropy } = vectors[2]!;
  const proof = { match, commitment, entropy, secret };
  const hash = await webHashing.keyed(bytesOf(secret));
  const dice = await Promise.all([0, 1, 2, 3].map((index) => diceOf(game, hash, match, entropy, index)));
  const actions = ['keep 2', dice[0]!, dice[1]!, 'link 2', 'up', dice[2]!, 'move 0', 'keep 1', dice[3]!];
  const pin = { commitment, plies: 0, digits: ['0000', 'a1b2'] };

  it('says yes to what the secret makes, however it is worked out', async () => {
    expect(await check(game, proof, actions, pin)).toEqual({ ok: true, rolls: 4, own: false });
    expect(await check(game, proof, actions, null, ownHashing)).toEqual({ ok: true, rolls: 4, own: true });
    expect(await check(game, proof, [])).toEqual({ ok: true, rolls: 0, own: false });
  });

  it('names the roll that fell otherwise', async () => {
    const other = actions.with(5, String((Number(dice[2]) % 6) + 1));
    expect(await check(game, proof, other, pin)).toEqual({ ok: false, why: 'roll', roll: 3, ply: 6, own: false });
    expect(await check(game, proof, actions.toSpliced(1, 1))).toMatchObject({ ok: false, why: 'roll', roll: 1 });
  });

  it('trusts what this device saw more than the record', async () => {
    const changed = { ...proof, secret: proof.secret.replace('00', '01') };
    expect(await check(game, changed, actions)).toEqual({ ok: false, why: 'secret' });
    const swapped = { ...changed, commitment: hexOf(sha256(bytesOf(changed.secret))) };
    expect(await check(game, swapped, actions, pin)).toEqual({ ok: false, why: 'seal' });
    expect(await check(game, proof, actions, { ...pin, digits: ['0000'] })).toEqual({ ok: false, why: 'digits' });
  });

  it('has nothing to check without a proof or its secret', async () => {
    expect(await check(game, null, actions)).toEqual({ ok: false, why: 'no_proof' });
    expect(await check(game, { ...proof, secret: '' }, actions)).toEqual({ ok: false, why: 'no_secret' });
  });
});
