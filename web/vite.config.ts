import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defaultClientConditions, loadEnv } from 'vite';
import { defineConfig } from 'vitest/config';
import { pages } from './pages-plugin';

/** The server that `npm run dev` talks to; another one by ESCADARIA_SERVER. */
const server = loadEnv('', '.', 'ESCADARIA_').ESCADARIA_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte(), pages],
  base: '/',
  resolve: { conditions: [...defaultClientConditions] }, // in unit tests too: Svelte for the browser
  build: {
    outDir: '../src/escadaria/static',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // they know light-dark()
    modulePreload: { polyfill: false }, // an inline script, which the server's policy forbids
    rolldownOptions: {
      output: {
        // Few files: each costs a request. The first screen is one; what several screens share is merged.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'shared', test: /src.(?!games)/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: ['..'] }, // boards.json is the package's
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } } },
  },
  test: { include: ['src/**/*.test.ts'], environment: './test-environment.ts' },
});
