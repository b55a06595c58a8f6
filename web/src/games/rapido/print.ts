/** Rapido on paper: staircase, tower, pieces and markers, drawn by the board's own functions. */
import { COLOURS, token } from '../../draw/colours';
import { printedPavement, sky, stairLayout, stairs, MOST, WINDOW } from './stairs';
import { tower, towerLayout } from './tower';
import type { GamePrint } from '../print';

const FINISH = 20;
const LEAST = 5;
const MOST_STEPS = 50;

/** The steps to follow so that all of the stairs are seen: one if they fit on a page. */
function parts(finish: number): number[] {
  const pages = finish <= MOST ? 1 : Math.ceil((finish - WINDOW) / PART) + 1;
  return Array.from({ length: pages }, (_, page) => page * PART + LOWER);
}
/** Pages overlap a little; `LOWER` is how far `windowOf` looks below the step that it follows. */
const PART = 20;
const LOWER = 6;

const print: GamePrint = {
  sheets({ finish: wanted = String(FINISH) }) {
    const finish = Number(wanted);
    if (!Number.isInteger(finish) || finish < LEAST || finish > MOST_STEPS) return null;
    return [
      ...parts(finish).map((follow) => ({
        title: 'rules.rapido.part.stairs',
        picture(w: number, h: number, id: string) {
          const L = stairLayout({ x: 0, w, h, finish, lanes: COLOURS.length, follow });
          return sky(L, w, `${id}sky`) + stairs(L, id, null);
        },
      })),
      {
        title: 'rules.rapido.part.tower',
        picture(w, h, id) {
          const L = stairLayout({ x: 0, w, h, finish, lanes: 1 });
          const foot = h * 0.03;
          return (
            sky(L, w, `${id}sky`) +
            printedPavement({ x: 0, y: h - foot * 1.6, w, h: foot * 1.6 }) +
            tower(towerLayout({ x: w * 0.08, w: w * 0.84, h, bottomPad: foot }))
          );
        },
      },
    ];
  },
  aid: 7,
  cutOuts: [
    ...COLOURS.map((colour) => ({ picture: token(colour, 50, 50, 40), size: 22, title: 'rules.rapido.part.pieces' })),
    ...COLOURS.map((colour) => ({ picture: token(colour, 50, 50, 40), size: 14, title: 'rules.rapido.part.markers' })),
  ],
};

export default print;
