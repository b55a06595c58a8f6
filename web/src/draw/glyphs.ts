/** Brush glyphs: the numbers and letters of the board look the same on every machine, without a font. */
import { f1 } from './svg';

/** Strokes in a box 60 wide and 100 high. */
const GLYPH: Record<string, string> = {
  '0': 'M30 4C-4 4-4 96 30 96C64 96 64 4 30 4z',
  '1': 'M12 22L34 4V96',
  '2': 'M6 28C6-4 54-4 54 28C54 52 14 66 6 96H56',
  '3': 'M8 4H50L27 40C62 36 64 96 27 96C14 96 6 90 3 80',
  '4': 'M43 96V4L3 70H58',
  '5': 'M52 4H14L10 45C26 34 56 38 56 66C56 100 16 102 3 84',
  '6': 'M47 4C18 14 4 42 4 66C4 106 56 104 56 68C56 36 12 36 5 62',
  '7': 'M4 4H56L22 96M18 50H48',
  '8': 'M30 46C2 40 6 4 30 4C54 4 58 40 30 46C-4 54-2 96 30 96C62 96 64 54 30 46z',
  '9': 'M13 96C42 86 56 58 56 34C56-6 4-4 4 32C4 64 48 64 55 38',
  X: 'M5 6L55 94M55 6L5 94',
  R: 'M8 96V4H32C60 4 60 50 32 50H8M30 50L56 96',
  B: 'M8 4V96H34C64 96 62 48 34 48H8M34 48C56 48 56 4 32 4H8',
  G: 'M54 22C46 8 38 4 31 4C12 4 4 26 4 50C4 76 12 96 31 96C46 96 56 86 56 56H34',
  Y: 'M4 4L30 50L56 4M30 50V96',
  K: 'M8 4V96M54 4L8 60M24 42L56 96',
  W: 'M-4 4L14 96L30 30L46 96L64 4',
  E: 'M54 4H8V96H54M8 50H46',
  S: 'M52 18C46 6 38 4 30 4C10 4 4 18 6 28C10 50 54 44 56 72C56 90 44 96 30 96C18 96 8 92 4 80',
  C: 'M54 22C46 8 38 4 31 4C12 4 4 26 4 50C4 76 12 96 31 96C40 96 48 92 55 78',
  A: 'M4 96L30 4L56 96M13 66H47',
  D: 'M8 4V96H24C66 96 66 4 24 4z',
  I: 'M30 4V96',
  '+': 'M4 50H56M30 22V78',
  '-': 'M8 50H52',
};

const ADVANCE = 78;

/** Text in brush glyphs, centred on (x, y), `h` high; characters that there are none of are left out. */
export function glyphs(text: string | number, x: number, y: number, h: number, ink: string, weight = 15): string {
  const k = h / 100;
  const letters = [...String(text)];
  const w = letters.length * ADVANCE - 18;
  const strokes = letters
    .map((c, i) => `<path transform="translate(${i * ADVANCE} 0)" d="${GLYPH[c] ?? ''}"/>`)
    .join('');
  return (
    `<g transform="translate(${f1(x - (w * k) / 2)} ${f1(y - h / 2)}) scale(${Math.round(k * 1000) / 1000})" ` +
    `fill="none" ` +
    `stroke="${ink}" stroke-width="${weight}" stroke-linecap="round" stroke-linejoin="round">${strokes}</g>`
  );
}

const NAME = 'ESCADARIA';
const NAME_COLOURS = ['red', 'blue', 'yellow', 'green'] as const;

/** The inside of the wordmark and its size: nine letter tiles, each a little higher than the last. */
export function wordmark(s: number, rise: number): { w: number; h: number; inner: string } {
  const gap = s * 0.08;
  const inner = [...NAME]
    .map((letter, i) => {
      const x = 1 + i * (s + gap);
      const y = (NAME.length - 1 - i) * rise * s;
      const colour = `--p-${NAME_COLOURS[i % 4]}`;
      const rect = (dx: number, dy: number, size: number, rx: number, look: string) =>
        `<rect x="${f1(x + dx)}" y="${f1(y + dy)}" width="${f1(size)}" height="${f1(size)}" rx="${f1(rx)}" ${look}/>`;
      return (
        rect(0, s * 0.09, s, s * 0.16, `fill="var(${colour}-lip)"`) +
        rect(0, 0, s, s * 0.16, `fill="var(${colour})"`) +
        `<path d="M${f1(x + s * 0.1)} ${f1(y + s * 0.36)}V${f1(y + s * 0.2)}Q${f1(x + s * 0.1)} ` +
        `${f1(y + s * 0.1)} ${f1(x + s * 0.2)} ${f1(y + s * 0.1)}` +
        `H${f1(x + s * 0.7)}Q${f1(x + s * 0.2)} ${f1(y + s * 0.14)} ${f1(x + s * 0.1)} ${f1(y + s * 0.36)}z" ` +
        `fill="#fff" opacity=".22"/>` +
        rect(
          s * 0.08,
          s * 0.08,
          s * 0.84,
          s * 0.1,
          `fill="none" stroke="var(${colour}-ink)" stroke-opacity=".42" stroke-width="${f1(s * 0.025)}"`,
        ) +
        glyphs(letter, x + s / 2, y + s / 2, s * 0.52, `var(${colour}-ink)`, 17)
      );
    })
    .join('');
  return { w: f1(9 * s + 8 * gap + 2), h: f1(s * (1 + rise * 8) + s * 0.12), inner };
}
