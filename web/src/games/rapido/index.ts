import type { GameParts } from '../game';
import { rapido, type RapidoCue, type RapidoView } from './script';
import Board from './Board.svelte';
import { DIE_A, DIE_B, dice } from './dice';
import Dock from './Dock.svelte';
import Hand from './Hand.svelte';
import { tally } from './stats';
import { describe } from './words';

const parts: GameParts<RapidoView, RapidoCue> = {
  script: rapido,
  Board,
  Dock,
  Hand,
  split: ({ steps, tower, hand }) => ({ board: { steps, tower }, hand: hand.dice, rolled: hand.dice !== null }),
  turn: (view) => view.turn,
  score: (view, seat, texts) => ({
    text: String(view.steps[seat] ?? 0),
    label: texts.t('web.rapido.step', { step: view.steps[seat] ?? 0 }),
  }),
  describe,
  layout: { panel: '360px', narrow: '348px' },
  keys: [
    ['R', 'web.rapido.key.roll'],
    ['0 – 5', 'web.rapido.key.place'],
  ],
  tally,
  dice,
  enter: {
    dice: () =>
      [DIE_A, DIE_B].map((faces) => ({
        faces,
        marks: 'glyph',
        own: true,
        name: (texts) => texts.t('web.rapido.die', { face: faces.at(-2) ?? '' }), // its highest digit
      })),
    rolls: (faces) => [faces.join('')],
    apart: true,
    colour: (view) => view.hand.colour,
  },
};

export default parts;
