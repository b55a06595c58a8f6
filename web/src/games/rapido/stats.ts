/** The statistics of a match of Rapido, from its facts. */
import { DIE_A, DIE_B } from './dice';
import type { Fact } from '../../match/facts';
import { count, counts, field, kind, ratio, turnsBy, victim, type Tally } from '../../replay/tally';

export const tally: Tally = {
  stats(facts, seats, turns) {
    const by = (is: (fact: Fact) => boolean, sum?: (fact: Fact) => number, of?: (fact: Fact) => number) =>
      count(facts, seats, is, sum, of);
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
    const fallen = facts
      .filter((fact) => fact.kind === 'rolled' && (seat === null || fact.seat === seat))
      .map((fact) => String(fact.dice));
    return [
      {
        key: 'a',
        faces: DIE_A,
        counts: counts(
          DIE_A,
          fallen.map((dice) => dice.charAt(0)),
        ),
      },
      {
        key: 'b',
        faces: DIE_B,
        counts: counts(
          DIE_B,
          fallen.map((dice) => dice.charAt(1)),
        ),
      },
    ];
  },
};
