/** A game that has no pictures of its own: dice on a cloth. */
import { die } from '../../draw/dice';
import type { Cover } from '../cover';

const cover = (game: string): Cover => ({
  order: Infinity,
  summary: (options, texts) =>
    Object.entries(options)
      .map(([name, value]) => `${texts.lookup(`${game}.option.${name}`)} ${String(value)}`)
      .join(' · '),
  colours: () => 1,
  picture(w, h) {
    const d = Math.min(h * 0.36, w * 0.2);
    const y = h / 2 - d / 2;
    return (
      `<rect width="${w}" height="${h}" fill="var(--ground)"/>` +
      die('red', '5', w / 2 - d * 1.75, y + 6, d, { rot: -8, marks: 'pool' }) +
      die('blue', '2', w / 2 - d / 2, y - 8, d, { rot: 5, marks: 'pool' }) +
      die('yellow', '6', w / 2 + d * 0.75, y + 4, d, { rot: -3, marks: 'pool' })
    );
  },
  lessons: () => [],
});

export default cover;
