/** The discs that may move, and which of them is proposed. */
import type { Fact } from '../../match/facts';
import type { Going } from './script';

/** A disc that may move, with its effect. */
export interface MoveChoice {
  id: number;
  action: string;
  going: Going | null;
  facts: Fact[];
  /** The seats of the discs that it would lie on, from the top. */
  under: number[];
}

/** 1 if the seat wins by a move, -1 if another one does (C6). */
const winOf = ({ facts }: MoveChoice, seat: number): number => {
  const won = facts.find((fact) => fact.kind === 'won');
  return won ? (won.seat === seat ? 1 : -1) : 0;
};
const gainOf = ({ going }: MoveChoice): number => (going ? going.end - going.from : 0);

/**
 * The move that wins, or else one that lets nobody else win; of several, the disc that would get farthest from where
 * it lies; of two, into the centre, or else the one behind.
 */
export const usualMove = (moves: MoveChoice[], seat: number): MoveChoice | undefined =>
  moves.toSorted(
    (a, b) =>
      winOf(b, seat) - winOf(a, seat) ||
      gainOf(b) - gainOf(a) ||
      Number(b.going?.home ?? false) - Number(a.going?.home ?? false) ||
      a.id - b.id,
  )[0];
