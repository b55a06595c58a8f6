import type { GameParts } from '../game';
import { plainScript, type PlainCue, type PlainView } from './script';
import Board from './Board.svelte';
import Dock from './Dock.svelte';
import Hand from './Hand.svelte';

/** How a game is played that has no board of its own. */
const plain = (game: string): GameParts<PlainView, PlainCue> => ({
  script: plainScript(game),
  Board,
  Dock,
  Hand,
  split: ({ bySeat, fields, dice }) => ({ board: { bySeat, fields }, hand: dice, rolled: dice !== null }),
  turn: (view) => view.turn,
  score(view, seat) {
    const first = view.bySeat[0];
    return first
      ? { text: first.values[seat] ?? '', label: `${first.name} ${first.values[seat] ?? ''}` }
      : { text: '', label: '' };
  },
  describe(view, seats) {
    const rows = seats.map(
      (seat, i) =>
        `${seat.name ?? '–'}: ${view.bySeat.map(({ name, values }) => `${name} ${values[i] ?? ''}`).join(', ')}`,
    );
    return [...rows, ...view.fields.map(({ name, value }) => `${name} ${value}`)].join('. ');
  },
  prompt: (_view, _previews, texts) => texts.t('play.question'),
  keys: [['1 – 9', 'web.plain.key']],
});

export default plain;
