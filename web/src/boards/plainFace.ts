import type { Face } from './face';
import { plainScript, type PlainCue, type PlainView } from './plain';
import Plain from './Plain.svelte';
import PlainDock from './PlainDock.svelte';
import PlainHand from './PlainHand.svelte';

/** How a game is played that has no board of its own. */
export const plainFace = (game: string): Face<PlainView, PlainCue> => ({
  script: plainScript(game),
  Board: Plain,
  Dock: PlainDock,
  Hand: PlainHand,
  parts: ({ bySeat, fields, dice }) => ({ board: { bySeat, fields }, hand: dice, rolled: dice !== null }),
  turn: (view) => view.turn,
  score(view, seat) {
    const first = view.bySeat[0];
    return first ? { text: first.values[seat] ?? '', label: `${first.name} ${first.values[seat] ?? ''}` } : { text: '', label: '' };
  },
  describe(view, seats) {
    const rows = seats.map((seat, i) => `${seat.name ?? '–'}: ${view.bySeat.map(({ name, values }) => `${name} ${values[i] ?? ''}`).join(', ')}`);
    return [...rows, ...view.fields.map(({ name, value }) => `${name} ${value}`)].join('. ');
  },
  prompt: (_view, _previews, texts) => texts.t('play.question'),
  keys: [['1 – 9', 'web.plain.key']],
});
