import type { GameParts } from '../game';
import Board from './Board.svelte';
import { dice } from './dice';
import Dock from './Dock.svelte';
import Hand from './Hand.svelte';
import { chain, type ChainCue, type ChainView } from './script';
import { tally } from './stats';
import { describe, prompt } from './words';

const parts: GameParts<ChainView, ChainCue> = {
  script: chain,
  Board,
  Dock,
  Hand,
  split: ({ discs, stacks, links, loose, hands }) => ({
    board: { discs, stacks },
    hand: links.length ? { links, loose } : hands,
    rolled: links.length > 0,
  }),
  turn: (view) => view.turn,
  score: (view, seat, texts) => ({
    text: String(view.hands[seat] ?? 0),
    label: texts.t('play.picture.dice', { number: view.hands[seat] ?? 0 }),
    icon: 'die',
  }),
  describe,
  prompt,
  layout: { panel: '392px', narrow: '350px' },
  keys: [
    ['1 – 9', 'web.chain.key.numbers'],
    ['U', 'web.chain.key.up'],
    ['D', 'web.chain.key.down'],
  ],
  tally,
  dice,
  enter: {
    // the first die of a hand is the coloured one
    dice: (rolls, { phase }) =>
      rolls.map((faces, i) => {
        const own = i === 0 && phase === 'roll';
        return { faces, marks: own ? 'own' : 'pool', own };
      }),
    rolls: (faces) => faces,
    apart: false,
    lying: ({ links }) => links.length > 0,
  },
};

export default parts;
