/** A position of Chain in words. */
import type { Options, Word } from '../../match/cues';
import type { Preview } from '../../match/facts';
import type { SeatView } from '../../protocol';
import type { Texts } from '../../texts/texts.svelte';
import { boardOf } from './board';
import { linkable } from './linkable';
import { chancesOf, type ChainView } from './script';

/** A disc's way from a space to a space: "15 to 19", "start to 4", "30 to the centre". */
export function going(texts: Texts, from: number, to: number, centre: number): string {
  return texts.t(`web.chain.going${from ? '' : '.start'}${to === centre ? '.centre' : ''}`, { from, to });
}

/** The same for a short text: "30" and "centre". */
export function places(texts: Texts, from: number, to: number, centre: number): { from: string; to: string } {
  const name = (space: number) =>
    space === 0 ? texts.t('play.picture.start') : space === centre ? texts.t('play.picture.centre') : String(space);
  return { from: name(from), to: name(to) };
}

/** The numbers that fit: "fits: 5, 6", "fits: 1–6", "fits: 1, 2, 4". */
export function fitting(texts: Texts, fits: number[]): string {
  const [first = 0, last = 0] = [fits[0], fits.at(-1)];
  const numbers = fits.length > 2 && last - first < fits.length ? `${first}–${last}` : fits.join(', ');
  return texts.t('web.chain.fit', { numbers });
}

/** A word about a seat: with its name, or for the reader. */
export function addressed(word: Word, names: string[], you: number | null): Word {
  const { seat, ...args } = word.args ?? {};
  if (typeof seat !== 'number') return word;
  return seat === you
    ? { ...word, key: `${word.key}.you` as Word['key'], args }
    : { ...word, args: { ...args, name: names[seat] ?? '–' } };
}

/** The chain in its order, and its direction. */
export function chain({ links, heading }: ChainView, texts: Texts): string {
  if (!links.length) return texts.t('web.chain.no_chain');
  return texts.t(links.length > 1 ? 'web.chain.describe.chain' : 'web.chain.describe.first', {
    links: links.join(', '),
    heading: texts.t(`chain.word.${heading}`),
  });
}

/** The whole position, as the picture's description. */
export function describe(view: ChainView, seats: Pick<SeatView, 'name'>[], options: Options, texts: Texts): string {
  const { length } = boardOf(options.board);
  const name = (seat: number | undefined) => seats[seat ?? -1]?.name ?? '–';
  const where = (space: number) =>
    space === 0 ? texts.t('play.picture.start') : space === length ? texts.t('play.picture.centre') : String(space);
  const discs = view.discs.map((spaces, seat) =>
    texts.t('web.chain.describe.discs', { name: name(seat), spaces: texts.listed(spaces.map(where)) }),
  );
  const stacks = view.stacks
    .filter(([, who]) => who.length > 1)
    .map(([space, who]) =>
      texts.t('web.chain.describe.stack', {
        space,
        top: name(who.at(-1)),
        under: who.slice(0, -1).toReversed().map(name).join(', '),
      }),
    );
  return [
    texts.t('web.chain.describe', { spaces: length }),
    ...discs,
    ...stacks,
    texts.t('web.chain.describe.pool', { dice: view.pool }),
  ].join(' ');
}

/** What the seat to act is asked, with the chain and the chances to lengthen it. */
export function prompt(view: ChainView, previews: Record<string, Preview>, texts: Texts): string {
  const asked = texts.t(`chain.phase.${view.phase}`);
  if (view.phase !== 'decide') return asked;
  const chances = (['up', 'down'] as const).flatMap((way) => {
    const found = chancesOf(previews[way]);
    return found
      ? [texts.t('web.chain.say_fits', { way: texts.t(`chain.word.${way}`), fits: found.fits.length })]
      : [];
  });
  return [chain(view, texts), ...chances, asked].join(' ');
}

/** How often all dice of a hand can be linked. */
export const allFit = (texts: Texts, dice: number): string =>
  texts.t('web.chain.all_fit', { share: texts.percent(linkable(dice)) });
