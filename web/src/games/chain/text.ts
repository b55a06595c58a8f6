/** A position of Chain as its text, and changes to it part by part; whether it can be is the server's to say. */
import type { ChainState } from '../../protocol';

const listed = (parts: (number | string)[], by: string) => parts.join(by) || '-';

export function textOf({ turn, phase, hands, pool, discs, piles, chain, loose }: ChainState): string {
  const stacks = piles.map(([space, seats]) => `${space}:${seats.join('+')}`);
  return [
    `turn=${turn} phase=${phase} hands=${hands.join(',')} pool=${pool}`,
    `discs=${discs.map((spaces) => spaces.join('+')).join(',')} stacks=${listed(stacks, ',')}`,
    `chain=${listed(chain.numbers, '')}/${chain.last}/${chain.heading} loose=${listed(loose, '')}`,
  ].join(' ');
}

const NO_CHAIN: ChainState['chain'] = { numbers: [], last: 0, heading: 'open' };

/** The start of the turn: no die has been rolled. */
export const atStart = (state: ChainState): ChainState => ({ ...state, phase: 'keep', chain: NO_CHAIN, loose: [] });

/** The same hands, all other dice in the pool. */
function withHand(state: ChainState, seat: number, dice: number): ChainState {
  const all = state.pool + state.hands.reduce((sum, hand) => sum + hand, 0);
  const hands = state.hands.with(seat, dice);
  return { ...state, hands, pool: all - hands.reduce((sum, hand) => sum + hand, 0) };
}

/** The number of dice in a seat.s hand. */
export const holding = (state: ChainState, seat: number, dice: number): ChainState =>
  withHand(seat === state.turn ? atStart(state) : state, seat, dice);

/** The number of dice of the hand that are kept and about to be rolled. */
export const rolling = (state: ChainState, dice: number): ChainState => ({
  ...withHand(atStart(state), state.turn, dice),
  phase: 'roll',
});

/** The chain is built, of these links in this order. Its direction is what its end looks like. */
export function linked(state: ChainState, links: number[]): ChainState {
  const last = links.at(-1);
  if (last === undefined) return atStart(state);
  const before = links.findLast((link) => link !== last);
  const heading = last === 1 || last === 6 || before === undefined ? 'open' : last > before ? 'up' : 'down';
  return {
    ...withHand(state, state.turn, links.length),
    phase: 'decide',
    loose: [],
    chain: { numbers: links.toSorted((a, b) => a - b), last, heading },
  };
}

/** A seat's disc taken from a space and put on another, on top of what lies there. */
export function put(state: ChainState, seat: number, from: number, to: number, centre: number): ChainState {
  const piles = new Map(state.piles);
  const left = piles.get(from);
  if (left) {
    const rest = left.toSpliced(left.lastIndexOf(seat), 1);
    if (rest.length) piles.set(from, rest);
    else piles.delete(from);
  }
  if (to > 0 && to < centre) piles.set(to, [...(piles.get(to) ?? []), seat]);
  const own = state.discs[seat] ?? [];
  const discs = [...own.toSpliced(own.indexOf(from), 1), to].toSorted((a, b) => a - b);
  return { ...state, discs: state.discs.with(seat, discs), piles: [...piles].toSorted(([a], [b]) => a - b) };
}
