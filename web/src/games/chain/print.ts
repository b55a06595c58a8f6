/** Chain on paper: the spiral of any board, and the discs. */
import { COLOURS } from '../../draw/colours';
import { esc } from '../../draw/svg';
import boards from '../../../../src/escadaria/games/chain/data/boards.json';
import { boardOf } from './board';
import { disc } from './discs';
import { spiral, spiralLayout } from './spiral';
import type { GamePrint } from '../print';

const print: GamePrint = {
  sheets({ board: wanted = 'default' }) {
    const board = boardOf(wanted);
    if (!isBoard(board)) return null;
    return [
      {
        title: 'rules.chain.part.board',
        picture(w, h, _, texts) {
          const size = Math.min(w, h - 150);
          const S = spiralLayout({ size, length: board.length });
          const y = size + 14;
          const box = (x: number, name: string) =>
            `<rect x="${x}" y="${y}" width="${(w - 20) / 2}" height="${h - y - 2}" rx="14" fill="var(--sunk)" ` +
            'stroke="var(--edge)" stroke-width="2" stroke-dasharray="9 7"/>' +
            `<text x="${x + 18}" y="${y + 34}" font-size="24" font-weight="600" fill="var(--ink)">${esc(name)}</text>`;
          return (
            `<rect width="${w}" height="${size}" rx="14" fill="var(--ground)"/>` +
            `<svg width="${w}" height="${size}"><g transform="translate(${(w - size) / 2} 0)">` +
            `${spiral(S, board)}</g></svg>` +
            box(1, texts.t('web.print.start')) +
            box(w / 2 + 10, texts.t('web.print.pool'))
          );
        },
      },
    ];
  },
  aid: 6,
  cutOuts: COLOURS.flatMap((colour) =>
    Array.from({ length: 2 }, () => ({ picture: disc(colour, 50, 47, 40), size: 20 })),
  ),
  choice: { option: 'board', values: Object.keys(boards) },
};

/** Whether a board keeps to C3, as far as a picture of it needs it. */
function isBoard({ length, arrows }: ReturnType<typeof boardOf>): boolean {
  const inside = (n: number) => Number.isInteger(n) && n > 0 && n < length;
  const fine = [...arrows].every(([from, to]) => inside(from) && inside(to) && !arrows.has(to));
  return Number.isInteger(length) && length >= 18 && length <= 60 && fine;
}

export default print;
