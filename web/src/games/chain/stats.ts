/** The statistics of a match of Chain, from its facts. */
import { DIE_PIPS } from '../../draw/dice';
import type { Fact } from '../../match/facts';
import { count, counts, field, kind, ratio, turnsBy, victim, type Tally } from '../../replay/tally';

const chainDie = kind('rolled', 'added', 'missed');

export const tally: Tally = {
  stats(facts, seats, turns) {
    const by = (is: (fact: Fact) => boolean, sum?: (fact: Fact) => number, of?: (fact: Fact) => number) =>
      count(facts, seats, is, sum, of);
    const moves = facts.filter(kind('moved'));
    const longest = Array.from({ length: seats }, (_, seat) =>
      Math.max(0, ...moves.filter((fact) => fact.seat === seat).map(field('links'))),
    );
    const other = (fact: Fact) => fact.kind === 'covered' && fact.victim !== fact.seat;
    const dice = by(chainDie);
    const arrow = (onward: boolean) => (fact: Fact) =>
      fact.kind === 'took_arrow' && Number(fact.end) > Number(fact.start) === onward;
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
    const fallen = facts
      .filter((fact) => chainDie(fact) && (seat === null || fact.seat === seat))
      .map((fact) => String(fact.number));
    return [{ key: 'all', faces: DIE_PIPS, counts: counts(DIE_PIPS, fallen) }];
  },
};
