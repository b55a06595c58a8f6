/** A die that has not been rolled: it stands on a corner, so that no face is on top. */
import { fill, lip, type Colour } from '../../draw/colours';
import { faceMark, type Marks } from '../../draw/dice';

/** As the inside of an SVG with the box 0..100. */
export function unrolled(colour: Colour, marks: Marks): string {
  const side = (points: string, paint: string, shade: string) =>
    `<path d="M${points}z" fill="${paint}" stroke="${paint}" stroke-width="5" stroke-linejoin="round"/>` +
    `<path d="M${points}z" fill="${shade}" stroke="${shade}" stroke-width="5" stroke-linejoin="round" opacity=".16"/>`;
  const face = (number: string, matrix: string) =>
    `<g transform="matrix(${matrix})" opacity=".62">${faceMark(colour, number, marks)}</g>`;
  const body = fill(colour);
  const edge = colour === 'black' ? '#8A8390' : lip(colour);
  return (
    '<ellipse cx="52" cy="92" rx="40" ry="11" fill="var(--shadow)"/>' +
    side('50 5L91 28L50 51L9 28', body, '#fff') +
    side('9 28L50 51V97L9 74', body, 'transparent') +
    side('91 28L50 51V97L91 74', body, '#000') +
    `<path d="M50 3L93 27V75L50 99L7 75V27zM7 27L50 51L93 27M50 51V99" fill="none" stroke="${edge}" ` +
    'stroke-width="3" stroke-linejoin="round"/>' +
    face('3', '.41 .23 -.41 .23 50 5') +
    face('5', '.41 .23 0 .46 9 28') +
    face('1', '.41 -.23 0 .46 50 51')
  );
}
