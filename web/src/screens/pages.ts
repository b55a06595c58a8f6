/** What the screens show and load. `index.ts` loads them; the build passes them to the server (`pages-plugin.ts`). */
import type { TextPart } from '../api';
import type { Route } from '../router.svelte';

type Screen = Exclude<Route['screen'], 'lost'>;

/** The parts of the texts that a screen shows. */
export const TEXTS: Record<Screen, TextPart[]> = {
  home: ['home'],
  new: ['home', 'play'],
  table: ['home', 'play'],
  learn: ['home', 'play', 'learn'],
  rules: ['home', 'play', 'learn'],
  strategy: ['home', 'play', 'study'],
  position: ['home', 'play', 'study'],
  replay: ['home', 'play'],
  print: ['home', 'play', 'learn'],
  about: ['home', 'learn'],
};

export interface Page {
  /** The key of the title. The description is `page.SCREEN.about`. */
  title: string;
  /** Its module in this folder; the home screen is part of the first script. */
  module?: string;
  /** The modules in the folder of its game that it loads. */
  game?: ('index' | 'study' | 'print')[];
}

/** What only the server reads, for titles and for links to files. */
export const PAGES: Record<Screen, Page> = {
  home: { title: 'web.home.title' },
  new: { title: 'web.rules.play', module: 'new/NewMatch.svelte' },
  table: { title: 'page.table.title', module: 'table/Table.svelte', game: ['index'] },
  learn: { title: 'web.learn.title', module: 'learn/Learn.svelte', game: ['index'] },
  rules: { title: 'web.rules.of', module: 'rules/Rules.svelte', game: ['index'] },
  strategy: { title: 'web.strategy.of', module: 'strategy/Strategy.svelte', game: ['index', 'study'] },
  position: { title: 'web.position.title', module: 'position/Position.svelte', game: ['index', 'study'] },
  replay: { title: 'page.replay.title', module: 'replay/Replay.svelte', game: ['index'] },
  print: { title: 'web.print.of', module: 'print/Print.svelte', game: ['print'] },
  about: { title: 'web.about', module: 'about/About.svelte' },
};
