import { describe, expect, it } from 'vitest';
import vectors from '../../../tests/fair_dice_vectors.json';
import type { GameDice } from '../games/game';
import { check, outcomes, sealOf } from './fairness';

const DICE = import.meta.glob<GameDice>('../games/*/dice.ts', { import: 'dice', eager: true });
const diceOf = (game: string): GameDice => DICE[`../games/${game}/dice.ts`]!;

describe('the test vectors', () => {
  it.each(vectors)('$game $match', async ({ game, secret, commitment, match, entropy, rolls }) => {
    expect(await sealOf(secret)).toBe(commitment);
    const dice = diceOf(game);
    const outcome = await outcomes({ secret, match, entropy }, dice.outcomes);
    expect(rolls.map(({ index }) => outcome(index))).toEqual(rolls.map(({ number }) => number));
    expect(rolls.map(({ number }) => dice.roll(number))).toEqual(rolls.map((roll) => roll.dice));
    expect(rolls.every((roll) => dice.isRoll(roll.dice))).toBe(true);
  });
});

describe('a check', async () => {
  const { game, secret, commitment, match, entropy } = vectors[2]!;
  const proof = { match, commitment, entropy, secret };
  const dice = diceOf(game);
  const outcome = await outcomes(proof, dice.outcomes);
  const rolls = [0, 1, 2, 3].map((index) => dice.roll(outcome(index)));
  const actions = ['keep 2', rolls[0]!, rolls[1]!, 'link 2', 'up', rolls[2]!, 'move 0', 'keep 1', rolls[3]!];
  const pin = { commitment, plies: 0, digits: ['0000', 'a1b2'] };

  it('says yes to what the secret makes', async () => {
    expect(await check(dice, proof, actions, pin)).toEqual({ ok: true, rolls: 4 });
    expect(await check(dice, proof, actions)).toEqual({ ok: true, rolls: 4 });
    expect(await check(dice, proof, [])).toEqual({ ok: true, rolls: 0 });
  });

  it('names the roll that fell otherwise', async () => {
    const other = actions.with(5, String((Number(rolls[2]) % 6) + 1));
    expect(await check(dice, proof, other, pin)).toEqual({ ok: false, why: 'roll', roll: 3, ply: 6 });
    expect(await check(dice, proof, actions.toSpliced(1, 1))).toMatchObject({ ok: false, why: 'roll', roll: 1 });
  });

  it('trusts what this device saw more than the record', async () => {
    const changed = { ...proof, secret: proof.secret.replace('00', '01') };
    expect(await check(dice, changed, actions)).toEqual({ ok: false, why: 'secret' });
    const swapped = { ...changed, commitment: await sealOf(changed.secret) };
    expect(await check(dice, swapped, actions, pin)).toEqual({ ok: false, why: 'seal' });
    expect(await check(dice, proof, actions, { ...pin, digits: ['0000'] })).toEqual({ ok: false, why: 'digits' });
  });

  it('refuses a secret that is no secret', async () => {
    for (const text of ['abc', 'no digits'])
      expect(await check(dice, { ...proof, secret: text }, actions)).toEqual({ ok: false, why: 'secret' });
  });

  it('has nothing to check without a proof, its secret, or dice that are known', async () => {
    expect(await check(dice, null, actions)).toEqual({ ok: false, why: 'no_proof' });
    expect(await check(undefined, proof, actions)).toEqual({ ok: false, why: 'no_proof' });
    expect(await check(dice, { ...proof, secret: '' }, actions)).toEqual({ ok: false, why: 'no_secret' });
  });
});
