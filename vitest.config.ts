import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/**
 * Files that mostly wait for processes, browsers, npm or time, slowest first; the first start of `cli/serve` fills the compile cache.
 * Before them is the one that collects all garbage again and again, of which a worker has little when it is new.
 */
const slowFiles = [
  'http/idle-connections',
  'browser/all',
  'cli/serve',
  'http/processes',
  'http/forget',
  'guides/commands',
  'guides/add-a-field',
  'graphql/cached-queries',
  'http/public',
  'cli/processes',
  'events/webhooks',
  'graphql/guest-orders-misuse',
  'events/webhooks-crash',
  'graphql/reveals',
  'http/shutdown',
  'guides/migrating',
  'guides/rest-client',
  'guides/graphql-client',
  'graphql/readable',
  'http/database-outage',
  'graphql/connections',
  'events/stream-costs',
  'unit/embedded',
  'http/varnish',
  'http/stream-outage',
  'unit/migrate',
  'http/fair-shares',
  'http/replicas',
  'http/migration',
  'http/failover',
  'unit/embedded-root',
  'examples/pos-clients',
  'rest/hostile',
  'rest/sofa',
  'unit/session-monitor',
  'unit/embedded-errors',
  'guides/relay-client',
  'http/log-and-traces',
];

/** Spreads the slow files among the others, so that while one worker waits, another one computes; the slowest come first. */
class SlowAmongOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      slowFiles.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`));
    const sorted = await super.sort(files);
    const slow = sorted.filter(file => rank(file) !== -1).toSorted((one, other) => rank(one) - rank(other));
    const others = sorted.filter(file => rank(file) === -1);
    // None of the slow ones is among the last quarter.
    const share = Math.ceil((others.length * 0.75) / Math.max(1, slow.length));
    return [
      ...slow.flatMap((file, at) => [file, ...others.slice(Math.max(0, at - 1) * share, at * share)]),
      ...others.slice(Math.max(0, slow.length - 1) * share),
    ];
  }
}

/** Names the tests that failed at first, with what failed: whoever sees the same one twice should mend it. */
const retried: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap(module => [...module.children.allTests()]);
    for (const test of tests.filter(candidate => candidate.diagnostic()?.flaky)) {
      const name = `${test.module.relativeModuleId} > ${test.fullName}`;
      process.stderr.write(`Failed at first, and passed when it was repeated: ${name}\n`);
      for (const { message } of test.result().errors ?? []) process.stderr.write(`  ${message}\n`);
    }
  },
};

/** Whether temporary files can be in memory: there is room for them, and programs among them can be executed. */
function hasMemoryFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return (
      bavail * bsize >= 2 * 1024 ** 3 &&
      !new RegExp(` ${path} \\S+ \\S*noexec`).test(readFileSync('/proc/mounts', 'utf8'))
    );
  } catch {
    return false;
  }
}

// The databases of tests are deleted after them; flushing them to a disk would take a tenth of the run.
if (hasMemoryFolder('/dev/shm')) process.env.TMPDIR ??= '/dev/shm';
// Collecting garbage takes a quarter of the time of TypeScript, which some tests run on programs that fit into memory.
process.env.GOGC ??= 'off';
process.env.GOMEMLIMIT ??= '1GiB';
// The folder of bin/carte.js: workers and the services that tests start compile each module once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/carte', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/cluster.ts',
    // Node loads the modules as it does for the service; code that Vite has transformed takes half as much time again.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Files share what they import; each has a database of its own all the same.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: SlowAmongOthers },
    // Generous, since they catch what hangs: how fast a test is depends on the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Many tests run several processes and some measure time: on a machine with other work, one of thousands is late now and then.
    retry: 1,
    reporters: ['default', retried],
  },
});
