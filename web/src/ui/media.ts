/** Sizes of screens at which words are only for screen readers: `class:vh={phone.current}`. */
import { MediaQuery } from 'svelte/reactivity';

/** Players stand in a row. */
export const middle = new MediaQuery('(max-width: 1080px)');
export const phone = new MediaQuery('(max-width: 820px)');
export const narrow = new MediaQuery('(max-width: 560px)');
export const slender = new MediaQuery('(max-width: 389px)');
/** A phone on its side. */
export const low = new MediaQuery('(max-height: 500px) and (min-width: 560px)');
/** No room for a heading: such a phone, or a short one. */
export const tight = new MediaQuery(
  '((max-height: 420px) and (min-width: 560px)) or ((max-width: 560px) and (max-height: 720px))',
);
