import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait for processes, browsers or npm, slowest first. */
const slowFiles = [
  'http/processes',
  'browser/playground',
  'docs/commands',
  'docs/migrating',
  'cli/processes',
  'browser/docs',
  'cli/serve',
  'unit/embedded',
  'http/shutdown',
  'browser/menu',
  'examples/rest-client',
  'http/log',
  'http/tracing',
  'http/database-outage',
  'http/failover',
];

/** Starts slow files first, so that no worker is left with one of them at the end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = slowFiles.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`));
      return found === -1 ? slowFiles.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  // Node takes `graphql` for its CommonJS build; without this, Vite would load the other build beside it.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/cluster.ts',
    // Files share what they import; each has a database of its own all the same.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
