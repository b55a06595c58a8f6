/** Chain in pictures: for the home screen and the choice of a board, drawn by the board's own functions. */
import { die } from '../../draw/dice';
import type { Colour } from '../../draw/colours';
import { disc, stack } from './discs';
import { spiral, spiralLayout } from './spiral';
import { f1, xy } from '../../draw/svg';
import { boardOf } from './board';
import type { Cover } from '../cover';
import type { ChainState } from '../../protocol';

const cover: Cover = {
  order: 2,
  summary: (options, texts) =>
    texts.t('web.chain.summary', { spaces: boardOf(options.board).length, players: options.players }),
  colours: () => 1,
  picture,
  lessons,
  optionPicture: (option, value) => (option === 'board' ? boardPicture(value) : ''),
  examples: { board: '34 7>11 10>5' },
  standing(position, seats, you, options, texts) {
    const { discs } = position as ChainState;
    const { length } = boardOf(options.board);
    const names = seats.map((seat) => seat.name ?? '–');
    const where = (space: number) =>
      space === 0 ? texts.t('play.picture.start') : space === length ? texts.t('play.picture.centre') : String(space);
    const order = [...discs.keys()].toSorted((a, b) => Number(b === you) - Number(a === you)).slice(0, 1 + OTHERS);
    return order
      .map((seat) =>
        texts.about('web.chain.standing', seat, names, you, {
          spaces: texts.listed((discs[seat] ?? []).map(where)),
        }),
      )
      .join(' ');
  },
};

/** How many others a summary names. */
const OTHERS = 3;

const DISCS: [number, Colour[]][] = [
  [11, ['yellow']],
  [29, ['red']],
  [20, ['yellow', 'blue']],
];
const rope = (points: string, width: number) =>
  `<path d="${points}" fill="none" stroke="var(--ochre)" stroke-width="${width}" stroke-linejoin="round" ` +
  'stroke-linecap="round" opacity=".8"/>';

/** The spiral seen close, and a chain beside it. */
function picture(w: number, h: number): string {
  const board = boardOf('default');
  const size = Math.min(Math.max(h * 1.32, w * 0.42), w * 0.61);
  const S = spiralLayout({ size, length: board.length });
  const d = Math.min(h * 0.2, w * 0.085);
  const x = w * 0.64;
  const y = h * 0.3;
  const at = (dx: number, dy: number) => xy(x + d * dx, y + d * dy);
  return (
    `<rect width="${f1(w)}" height="${f1(h)}" fill="var(--ground)"/>` +
    `<g transform="translate(${xy(w * 0.02, (h - size) * 0.54)})">` +
    spiral(S, board, { reach: w * 0.98 - S.cx }) +
    DISCS.map(([n, colours]) => stack(S, n, colours)).join('') +
    `${disc('green', S.cx, S.cy, S.disc)}</g>` +
    rope(`M${at(0.5, 0.9)}L${at(1.6, 0.4)}L${at(2.7, 1.4)}L${at(3.2, 2.6)}`, 7) +
    die('red', '4', x, y + d * 0.4, d, { marks: 'own', rot: -6 }) +
    die('black', '6', x + d * 1.1, y - d * 0.1, d, { marks: 'pool', rot: 4 }) +
    die('black', '5', x + d * 2.2, y + d * 0.9, d, { marks: 'pool', rot: -4 }) +
    die('black', '2', x + d * 2.7, y + d * 2.2, d, { marks: 'pool', rot: 6 })
  );
}

/** Link, stop or add, be stuck: three pictures in boxes of 128 by 104. */
function lessons(): string[] {
  const stones = [0, 1, 2, 3, 4]
    .map(
      (i) =>
        `<rect x="${6 + i * 24}" y="56" width="21" height="26" rx="5" fill="var(--stone)" ` +
        'stroke="var(--stone-edge)"/>',
    )
    .join('');
  return [
    rope('M22 70L50 28L78 46L106 78', 5) +
      die('red', '4', 10, 56, 24, { marks: 'own', rot: -5 }) +
      die('black', '6', 38, 14, 24, { marks: 'pool' }) +
      die('black', '5', 66, 34, 24, { marks: 'pool', rot: 4 }) +
      die('black', '2', 94, 66, 24, { marks: 'pool' }),
    stones +
      disc('red', 17, 66, 11, { ghost: true }) +
      '<path d="M30 50Q64 6 104 46" fill="none" stroke="var(--preview)" stroke-width="3" ' +
      'stroke-dasharray="1 7" stroke-linecap="round"/>' +
      disc('red', 112, 66, 12),
    '<circle cx="36" cy="54" r="28" fill="var(--g5)"/><circle cx="36" cy="54" r="19" fill="var(--b5)"/>' +
      disc('red', 36, 53, 14) +
      disc('red', 94, 66, 15) +
      disc('blue', 94, 56, 15),
  ];
}

/** A board in a box of 100: its length and its arrows; empty if the text is none. */
function boardPicture(text: string): string {
  const board = boardOf(text);
  const inside = [...board.arrows].every(([from, to]) =>
    [from, to].every((n) => Number.isInteger(n) && n > 0 && n < board.length),
  );
  if (!Number.isInteger(board.length) || board.length < 6 || board.length > 99 || !inside) return '';
  const S = spiralLayout({ size: 400, length: board.length });
  return `<g transform="scale(.25)">${spiral(S, board, { calm: true })}</g>`;
}

export default cover;
