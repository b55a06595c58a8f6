import { svelte } from '@sveltejs/vite-plugin-svelte';
import { loadEnv } from 'vite';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` talks to; another one by ESCADARIA_SERVER. */
const server = loadEnv('', '.', 'ESCADARIA_').ESCADARIA_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte()],
  base: '/',
  build: {
    outDir: '../src/escadaria/static',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // they know light-dark()
    modulePreload: { polyfill: false }, // an inline script, which the server's policy forbids
  },
  server: {
    fs: { allow: ['..'] }, // boards.json is the package's
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } } },
  },
  test: { include: ['src/**/*.test.ts'] },
});
