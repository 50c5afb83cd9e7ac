import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node takes `graphql` for its CommonJS build; without this, Vite would load the other build beside it.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/cluster.ts',
    // Files share what they import; each has a database of its own all the same.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
