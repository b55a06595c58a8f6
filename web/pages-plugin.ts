/**
 * Tells the server of each screen what its title says, and which texts, scripts and styles it loads (`.pages.json`).
 * A browser would learn of these files only after it has run the first script.
 */
import type { Plugin, Rolldown } from 'vite';
import { PAGES, TEXTS } from './src/screens/pages';

type Chunk = Rolldown.OutputChunk;

export const pages: Plugin = {
  name: 'pages',
  apply: 'build',
  enforce: 'post',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const withImports = (chunk: Chunk | undefined, found = new Set<Chunk>()): Set<Chunk> => {
      if (!chunk || found.has(chunk)) return found;
      found.add(chunk);
      for (const name of chunk.imports)
        withImports(
          chunks.find(({ fileName }) => fileName === name),
          found,
        );
      return found;
    };
    const first = withImports(chunks.find(({ isEntry }) => isEntry)); // index.html links to these itself
    const filesOf = (modules: string[]): string[] => {
      const found = modules.map((path) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(path)));
      const needed = [...new Set(found.flatMap((chunk) => [...withImports(chunk)]))].filter((one) => !first.has(one));
      const styles = needed.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
      return [...needed.map(({ fileName }) => fileName), ...new Set(styles)];
    };
    const games = chunks.flatMap(
      ({ facadeModuleId }) => /games\/(\w+)\/index\.ts$/.exec(facadeModuleId ?? '')?.[1] ?? [],
    );
    const table = Object.entries(PAGES).map(([screen, { title, module, game = [] }]) => {
      const own = module ? [`/src/screens/${module}`] : [];
      const withGame = (name: string) => filesOf([...own, ...game.map((part) => `/src/games/${name}/${part}.ts`)]);
      const files = Object.fromEntries(['', ...games].map((name) => [name, withGame(name)]));
      return [screen, { title, texts: TEXTS[screen as keyof typeof TEXTS], files }];
    });
    this.emitFile({ type: 'asset', fileName: '.pages.json', source: JSON.stringify(Object.fromEntries(table)) });
  },
};
