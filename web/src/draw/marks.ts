/** Small signs in a box of 24. Each has its own shape, so that none is recognised by colour alone. */

export interface Sign {
  svg: string;
  /** The CSS colour of its lines. */
  colour: string;
}

const stroke = (colour: string, d: string): Sign => ({
  svg:
    `<path d="${d}" fill="none" stroke="currentColor" stroke-width="2.4" ` +
    'stroke-linecap="round" stroke-linejoin="round"/>',
  colour,
});

export const SIGNS = {
  /** Roll again: an arrow in a circle. */
  again: stroke('var(--preview)', 'M19.5 9.5A8 8 0 1 0 20 13M20 4.5v5.2h-5.2'),
  /** The dice ended the turn: an arrow down to a line. */
  fall: stroke('var(--out)', 'M12 4v11M6.5 10.5L12 16l5.5-5.5M5 20.5h14'),
  /** A flag. */
  won: stroke('var(--leaf)', 'M6 21V4h11l-2.2 4 2.2 4H6'),
  up: stroke('var(--arrow-on)', 'M5 18L18 6M10 5.5h8.5V14'),
  down: stroke('var(--legal)', 'M5 6l13 12M18.5 10v8.5H10'),
  /** One die more: a die with a plus. */
  more: stroke(
    'var(--preview)',
    'M8 3.5h8a4.5 4.5 0 0 1 4.5 4.5v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8A4.5 4.5 0 0 1 8 3.5z' +
      'M12 8v8M8 12h8',
  ),
  /** A broken link. */
  fail: stroke(
    'var(--out)',
    'M9.5 15.5l-2 2a3.5 3.5 0 0 1-5-5l2-2M14.5 8.5l2-2a3.5 3.5 0 0 1 5 5l-2 2' +
      'M9 4.5v2.5M4.5 9H7M15 19.5V17M19.5 15H17',
  ),
} as const satisfies Record<string, Sign>;
