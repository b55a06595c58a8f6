/** Rapido in pictures: for the home screen, drawn by the board's own functions. */
import { die } from '../../draw/dice';
import { glyphs } from '../../draw/glyphs';
import { token, type Colour } from '../../draw/colours';
import { pavement, sky, stairLayout, stairs } from './stairs';
import { tileOf, tilePattern } from '../../draw/tiles';
import type { Cover } from '../cover';
import type { RapidoState } from '../../protocol';

const cover: Cover = {
  order: 1,
  summary: (options, texts) => texts.t('web.rapido.summary', { finish: options.finish, players: options.players }),
  colours: (players) => (players === 2 ? 2 : 1),
  picture,
  lessons,
  standing(position, seats, you, _, texts) {
    const { steps } = position as RapidoState;
    const names = seats.map((seat) => seat.name ?? '–');
    const first = you ?? 0;
    const others = steps
      .map((step, seat) => ({ step, seat }))
      .filter(({ seat }) => seat !== first)
      .toSorted((a, b) => b.step - a.step)
      .slice(0, OTHERS);
    return `${texts.listed([
      texts.about('web.rapido.standing', first, names, you, { step: steps[first] }),
      ...others.map(({ step, seat }) => texts.t('web.rapido.standing.other', { name: names[seat], step })),
    ])}.`;
  },
};

/** How many others a summary names, those ahead first. */
const OTHERS = 3;

const PIECES: [Colour, number][] = [
  ['red', 4],
  ['blue', 6],
  ['green', 1],
  ['yellow', 3],
];

/** The stairs seen close, dice in front. */
function picture(w: number, h: number, id: string): string {
  const L = stairLayout({
    x: w * 0.04,
    w: Math.min(w * 0.62, 340),
    h,
    finish: h > 200 ? 10 : 7,
    lanes: PIECES.length,
    head: 0.25,
  });
  const d = Math.min(h * 0.29, w * 0.15);
  const x = Math.min(w * 0.68, w * 0.96 - d * 2.14);
  const y = h - d * 1.12 - 8;
  return (
    sky(L, w, `${id}sky`) +
    pavement(w, h, h * 0.09, `${id}wave`) +
    stairs(L, id, `${id}wave`) +
    PIECES.map(([colour, step], seat) =>
      token(colour, L.lane(step, seat), L.stand(step), L.r, { standing: true }),
    ).join('') +
    die('red', '7', x, y, d, { rot: -5 }) +
    die('red', '6', x + d * 1.14, y + 3, d, { rot: 6 })
  );
}

/** Roll, place, climb: three pictures in boxes of 128 by 104. */
function lessons(id: string): string[] {
  const niche = (y: number, field: number, inner: string, chosen = false) =>
    `<path d="M34 ${y + 28}V${y + 10}q0-10 10-10h66q10 0 10 10v18z" fill="var(--niche)" ` +
    `stroke="${chosen ? 'var(--preview)' : 'var(--niche-2)'}" stroke-width="${chosen ? 2.5 : 1.5}"/>` +
    `<rect x="10" y="${y + 5}" width="18" height="18" rx="5" ` +
    `fill="var(--plate)"/>${glyphs(field, 19, y + 14, 10, 'var(--plate-ink)')}${inner}`;
  const stair = (i: number) => {
    const w = 112 - i * 12;
    const x = 64 - w / 2;
    const y = 82 - i * 20;
    return (
      `<defs>${tilePattern(`${id}${i}`, tileOf(i + 6), w / 8, x, y)}</defs>` +
      `<rect x="${x}" y="${y}" width="${w}" height="14" fill="url(#${id}${i})"/>` +
      `<rect x="${x}" y="${y - 6}" width="${w}" height="6" fill="var(--tread)" stroke="var(--tread-2)"/>`
    );
  };
  return [
    die('red', '2', 12, 18, 40, { rot: -5 }) +
      die('red', '6', 70, 18, 40, { rot: 5 }) +
      glyphs('62', 62, 86, 22, 'var(--ink)', 15),
    niche(6, 4, die('blue', '1', 52, 9, 20, { rot: -12 }) + die('blue', '6', 78, 6, 20, { rot: -12 })) +
      niche(38, 3, die('red', '2', 52, 42, 20, { ghost: true }) + die('red', '6', 78, 42, 20, { ghost: true }), true) +
      niche(70, 2, die('yellow', '3', 52, 74, 20) + die('yellow', '5', 78, 74, 20)),
    [0, 1, 2, 3].map(stair).join('') +
      token('red', 44, 66, 10, { ghost: true }) +
      '<path d="M45 54V30" stroke="var(--preview)" stroke-width="2.5" stroke-dasharray="1 6" ' +
      'stroke-linecap="round"/>' +
      token('red', 48, 16, 11, { standing: true }) +
      token('blue', 84, 48, 10, { standing: true }),
  ];
}

export default cover;
