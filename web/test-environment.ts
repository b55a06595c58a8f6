/**
 * Unit tests run in Node on code compiled for the browser: `$effect` runs, `$state` is reactive. There is no document;
 * what needs one is tested in Chromium (`tests/system/browser`).
 */
import type { Environment } from 'vitest/runtime';

export default {
  name: 'client',
  viteEnvironment: 'client',
  setup: () => ({ teardown() {} }),
} satisfies Environment;
