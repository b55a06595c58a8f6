/** The guide of the lessons: the sun that stands over the stairs and in the spiral, on a tile, with a face. */
import { f1 } from '../../draw/svg';

/** In the box 0..100. */
export function guide({ looking = false } = {}): string {
  const point = (angle: number, r: number) => `${f1(50 + Math.cos(angle) * r)} ${f1(50 + Math.sin(angle) * r)}`;
  const rays = Array.from({ length: 16 }, (_, i) => {
    const t = (i * Math.PI) / 8;
    return `M${point(t - 0.15, 26)}L${point(t, i % 2 ? 36 : 41)}L${point(t + 0.15, 26)}z`;
  }).join('');
  const [dx, dy] = looking ? [3.4, 1] : [0, 0];
  const ink = 'stroke="var(--g5)" stroke-width="3.2" stroke-linecap="round" fill="none"';
  return (
    '<rect x="2" y="6" width="96" height="94" rx="18" fill="var(--shadow)"/>' +
    '<rect x="2" y="2" width="96" height="94" rx="18" fill="var(--g5)"/>' +
    '<rect x="6" y="6" width="88" height="86" rx="14" fill="none" stroke="var(--a5)" stroke-width="2"/>' +
    '<path d="M6 20V20Q6 6 20 6zM94 20Q94 6 80 6zM6 78Q6 92 20 92zM94 78Q94 92 80 92z" fill="var(--a5)"/>' +
    `<g transform="translate(0 -1)"><path d="${rays}" fill="var(--b5)"/>` +
    `<circle cx="50" cy="50" r="25" fill="var(--b5)" stroke="var(--g5)" stroke-width="2.5"/>` +
    `<g transform="translate(${dx} ${dy})"><circle cx="41.5" cy="46" r="3.1" fill="var(--g5)"/>` +
    `<circle cx="58.5" cy="46" r="3.1" fill="var(--g5)"/>` +
    `<path d="${looking ? 'M45 58Q50 61 55 58' : 'M40 55Q50 66 60 55'}" ${ink}/>` +
    `<path d="M37.5 39.5Q41.5 37 45 39M55 39Q58.5 37 62.5 39.5" ${ink} opacity=".55"/></g>` +
    '<circle cx="35" cy="54" r="3.5" fill="var(--b3)" opacity=".6"/>' +
    '<circle cx="65" cy="54" r="3.5" fill="var(--b3)" opacity=".6"/></g>'
  );
}
