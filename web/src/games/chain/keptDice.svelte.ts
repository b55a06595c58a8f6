/** How many dice of a hand players keep, as learned from what they did before. */
import { recall, remember } from '../../storage';

const SAVED = 'chain.rolls_up_to';

export class KeptDice {
  /** The largest hand that was rolled whole at this device: one that needs no question, where that is wished. */
  private whole = $state(Number(recall(SAVED, 0)) || 0);
  /** The number of dice to which each seat has cut a hand. */
  private readonly limits = new Map<number, number>();

  /** A seat has kept this many dice of a hand. */
  keep(seat: number, dice: number, hand: number): void {
    if (dice < hand) {
      this.limits.set(seat, dice);
      this.rollUpTo(dice);
    } else {
      if (dice > this.limit(seat)) this.limits.set(seat, dice);
      this.rollUpTo(Math.max(this.whole, dice));
    }
  }

  /** The usual choice of a seat. */
  usual(seat: number, hand: number): number {
    return Math.min(hand, this.limit(seat));
  }

  /** Whether a hand as large as this was rolled before. */
  knows(hand: number): boolean {
    return hand <= this.whole;
  }

  private limit(seat: number): number {
    return this.limits.get(seat) ?? Infinity;
  }

  private rollUpTo(dice: number): void {
    this.whole = dice;
    remember(SAVED, dice);
  }
}
