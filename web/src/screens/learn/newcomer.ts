/** Whom a first lesson is offered to, and where a guest goes after it. */
import { keptSeats } from '../../match/tokens';
import { recall, remember } from '../../storage';

/** Whether this device has neither ended a match of the game nor its lesson. */
export const isNewTo = (game: string): boolean =>
  !recall(`learned.${game}`, false) && !keptSeats().some(([, seat]) => seat.game === game && seat.over);

export const hasLearned = (game: string): void => remember(`learned.${game}`, true);

/** The address of a lesson; a guest comes back to the table. */
export const lessonAt = (game: string, match = ''): string =>
  `/learn/${game}${match && `?table=${encodeURIComponent(match)}`}`;

/** The table that a lesson was opened from; empty if there is none. */
export const tableOf = (search: string): string => {
  const match = new URLSearchParams(search).get('table') ?? '';
  return /^[\w-]+$/.test(match) ? `/t/${match}` : '';
};
