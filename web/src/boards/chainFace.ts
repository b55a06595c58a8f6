import { chain, chancesOf, type ChainCue, type ChainView } from './chain';
import Chain from './Chain.svelte';
import { boardOf } from './chainBoard';
import ChainDock from './ChainDock.svelte';
import ChainHand from './ChainHand.svelte';
import type { Face } from './face';
import type { Texts } from '../texts.svelte';

/** Chain in words. */
export const chainWords = {
  /** A disc's way from a space to a space: "15 to 19", "start to 4", "30 to the centre". */
  going(texts: Texts, from: number, to: number, centre: number): string {
    return texts.t(`web.chain.going${from ? '' : '.start'}${to === centre ? '.centre' : ''}`, { from, to });
  },

  /** The chain in its order, and its direction. */
  chain({ links, heading }: ChainView, texts: Texts): string {
    if (!links.length) return texts.t('web.chain.no_chain');
    return texts.t(links.length > 1 ? 'web.chain.describe.chain' : 'web.chain.describe.first', { links: links.join(', '), heading: texts.t(`chain.word.${heading}`) });
  },
};

export const chainFace: Face<ChainView, ChainCue> = {
  script: chain,
  Board: Chain,
  Dock: ChainDock,
  Hand: ChainHand,
  parts: ({ discs, stacks, links, loose, hands }) => ({ board: { discs, stacks }, hand: links.length ? { links, loose } : hands, rolled: links.length > 0 }),
  turn: (view) => view.turn,
  score: (view, seat, texts) => ({ text: String(view.hands[seat] ?? 0), label: texts.t('play.picture.dice', { number: view.hands[seat] ?? 0 }), icon: 'die' }),
  describe(view, seats, options, texts) {
    const { length } = boardOf(options.board);
    const name = (seat: number | undefined) => seats[seat ?? -1]?.name ?? '–';
    const where = (space: number) => (space === 0 ? texts.t('play.picture.start') : space === length ? texts.t('play.picture.centre') : String(space));
    const discs = view.discs.map((spaces, seat) => texts.t('web.chain.describe.discs', { name: name(seat), spaces: texts.listed(spaces.map(where)) }));
    const stacks = view.stacks
      .filter(([, who]) => who.length > 1)
      .map(([space, who]) => texts.t('web.chain.describe.stack', { space, top: name(who.at(-1)), under: who.slice(0, -1).reverse().map(name).join(', ') }));
    return [texts.t('web.chain.describe', { spaces: length }), ...discs, ...stacks, texts.t('web.chain.describe.pool', { dice: view.pool })].join(' ');
  },
  prompt(view, previews, texts) {
    const asked = texts.t(`chain.phase.${view.phase}`);
    if (view.phase !== 'decide') return asked;
    const chances = (['up', 'down'] as const).flatMap((way) => {
      const found = chancesOf(previews[way]);
      return found ? [texts.t('web.chain.say_fits', { way: texts.t(`chain.word.${way}`), fits: found.fits.length })] : [];
    });
    return [chainWords.chain(view, texts), ...chances, asked].join(' ');
  },
  keys: [
    ['1 – 9', 'web.chain.key.numbers'],
    ['U', 'web.chain.key.up'],
    ['D', 'web.chain.key.down'],
  ],
};
