/** The orders in which loose dice can be linked. The server sends the legal ones; here a player chooses among them. */
import type { Preview, Sequences } from '../../protocol';

export interface Orders {
  /** Each is a complete order of the numbers; the first is a proposal. */
  all: number[][];
  /** Whether these are all legal orders. */
  complete: boolean;
  /** What may be done after each of them, and its effects; nothing where that is not known. */
  after: (Record<string, Preview> | undefined)[];
}

const LINK = /^link (\d)$/;

/** The number that an action links; null if it is another action. */
export const linkOf = (action: string | null): number | null => Number(action?.match(LINK)?.[1] ?? 0) || null;

/** The orders in a message; null if it has none. */
export function ordersOf(sequences: Sequences | null | undefined): Orders | null {
  if (!sequences?.orders.length) return null;
  const numbers = sequences.decisions.map(linkOf);
  return {
    all: sequences.orders.map((order) => order.map((index) => numbers[index] ?? 0)),
    complete: sequences.complete,
    after: sequences.orders.map((_, i) => sequences.after[sequences.ends[i] ?? -1]),
  };
}

/** The orders that begin with these numbers. */
export const beginning = ({ all }: Orders, chosen: number[]): number[][] =>
  all.filter((order) => chosen.every((number, i) => order[i] === number));

/** What may be done after the first order that begins with these numbers. */
export const afterwards = ({ all, after }: Orders, chosen: number[]): Record<string, Preview> =>
  after[all.findIndex((order) => chosen.every((number, i) => order[i] === number))] ?? {};

/** The numbers that may follow what was chosen. */
export const nextAfter = (orders: Orders, chosen: number[]): Set<number> =>
  new Set(beginning(orders, chosen).flatMap((order) => order[chosen.length] ?? []));

/**
 * The number that stands before this one in every order that begins as chosen; null if there is none, or it is not
 * known.
 */
export function waitsFor(orders: Orders, chosen: number[], number: number): number | null {
  if (!orders.complete) return null;
  const rests = beginning(orders, chosen).map((order) => order.slice(chosen.length));
  const before = rests.map((rest) => rest.slice(0, rest.indexOf(number)));
  const always = (before[0] ?? []).filter((other) => before.every((some) => some.includes(other)));
  // of several, the one that is farthest away: it is where the chain turns round
  return always.toSorted((a, b) => Math.abs(b - number) - Math.abs(a - number))[0] ?? null;
}

/**
 * What is chosen when the die at `from` of an order is put at `to`: all up to it; null if no order begins like
 * that.
 */
export function put(orders: Orders, order: number[], from: number, to: number): number[] | null {
  const die = order[from];
  if (die === undefined || from === to) return null;
  const chosen = order
    .toSpliced(from, 1)
    .toSpliced(to, 0, die)
    .slice(0, to + 1);
  return beginning(orders, chosen).length ? chosen : null;
}
