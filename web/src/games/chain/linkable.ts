/** What rolling a hand may bring: figures of the dice (C10, C11, C14), which a test compares with the rules. */

/** Of all rolls of one die, of two, and so on, those that can be linked; of more dice than these, none. */
const LINKABLE = [
  6, 36, 208, 1230, 7300, 42840, 245140, 1354780, 7168000, 35977200, 169461600, 739107600, 2933330400, 10342332000,
  31279248000, 76684608000, 137225088000, 137225088000,
];

/** The probability that all dice of a hand can be linked. */
export const linkable = (dice: number): number => (LINKABLE[dice - 1] ?? 0) / 6 ** dice;

/** The dice that go back into the pool if not, of one die, of two, and so on. */
const LOST = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9];

export const lostOf = (dice: number): number => LOST[dice - 1] ?? 0;
