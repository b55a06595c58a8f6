/** The numbers of each game, from its facts. */
import { DIE_A, DIE_B, DIE_PIPS } from '../draw/dice';
import type { Fact } from '../facts';
import { count, ratio, type Tally } from '../replay';

const kind =
  (...kinds: string[]) =>
  (fact: Fact): boolean =>
    kinds.includes(fact.kind);
const field = (name: string) => (fact: Fact) => Number(fact[name]);
const victim = field('victim');
const counts = (faces: string[], fallen: string[]) => faces.map((face) => fallen.filter((other) => other === face).length);
const turnsBy = (turns: { seat: number }[], seats: number) => Array.from({ length: seats }, (_, seat) => turns.filter((turn) => turn.seat === seat).length);

const rapido: Tally = {
  stats(facts, seats, turns) {
    const by = (is: (fact: Fact) => boolean, sum?: (fact: Fact) => number, of?: (fact: Fact) => number) => count(facts, seats, is, sum, of);
    const rolls = by(kind('rolled'));
    return [
      { key: 'scored', values: by(kind('scored'), field('climbed')), best: 'high' },
      { key: 'doubled', values: by(kind('doubled'), field('climbed')), best: 'high' },
      { key: 'doubles', values: by(kind('doubled')), best: 'high' },
      { key: 'crosses', values: by(kind('fell')), best: 'low' },
      { key: 'fallen', values: by(kind('fell'), field('fallen')), best: 'low' },
      { key: 'threw_out', values: by(kind('threw_out')), best: 'high' },
      { key: 'thrown_out', values: by(kind('threw_out'), undefined, victim), best: 'low' },
      { key: 'rolls', values: rolls },
      { key: 'per_turn', values: ratio(rolls, turnsBy(turns, seats)), digits: 1 },
    ];
  },
  dice(facts, seat) {
    const fallen = facts.filter((fact) => fact.kind === 'rolled' && (seat === null || fact.seat === seat)).map((fact) => String(fact.dice));
    return [
      { key: 'a', faces: DIE_A, counts: counts(DIE_A, fallen.map((dice) => dice.charAt(0))) },
      { key: 'b', faces: DIE_B, counts: counts(DIE_B, fallen.map((dice) => dice.charAt(1))) },
    ];
  },
};

const chainDie = kind('rolled', 'added', 'missed');

const chain: Tally = {
  stats(facts, seats, turns) {
    const by = (is: (fact: Fact) => boolean, sum?: (fact: Fact) => number, of?: (fact: Fact) => number) => count(facts, seats, is, sum, of);
    const moves = facts.filter(kind('moved'));
    const longest = Array.from({ length: seats }, (_, seat) => Math.max(0, ...moves.filter((fact) => fact.seat === seat).map(field('links'))));
    const other = (fact: Fact) => fact.kind === 'covered' && fact.victim !== fact.seat;
    const dice = by(chainDie);
    const arrow = (onward: boolean) => (fact: Fact) => fact.kind === 'took_arrow' && Number(fact.end) > Number(fact.start) === onward;
    return [
      { key: 'longest', values: longest, best: 'high' },
      { key: 'chains', values: by(kind('moved')) },
      { key: 'average', values: ratio(by(kind('moved'), field('links')), by(kind('moved'))), digits: 1, best: 'high' },
      { key: 'failed', values: by(kind('failed')), best: 'low' },
      { key: 'lost', values: by(kind('failed'), field('lost')), best: 'low' },
      { key: 'covers', values: by(other), best: 'high' },
      { key: 'covered', values: by(other, undefined, victim) },
      { key: 'onward', values: by(arrow(true)), best: 'high' },
      { key: 'back', values: by(arrow(false)), best: 'low' },
      { key: 'arrived', values: by(kind('arrived')), best: 'high' },
      { key: 'rolls', values: dice },
      { key: 'dice', values: ratio(by(chainDie, field('number')), dice), digits: 2 },
      { key: 'turns', values: turnsBy(turns, seats) },
    ];
  },
  dice(facts, seat) {
    const fallen = facts.filter((fact) => chainDie(fact) && (seat === null || fact.seat === seat)).map((fact) => String(fact.number));
    return [{ key: 'all', faces: DIE_PIPS, counts: counts(DIE_PIPS, fallen) }];
  },
};

const TALLIES: Record<string, Tally> = { rapido, chain };

/** Null for a game without statistics. */
export const tallyOf = (game: string): Tally | null => TALLIES[game] ?? null;
