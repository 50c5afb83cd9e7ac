import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { makeCheckout, writeOrders } from '../support/checkout.ts';
import { type Block, blocksOf, documents, notRun, openShell, runnable } from '../support/commands.ts';
import { exampleSet } from '../support/operations.ts';
import { urlOf } from '../support/url.ts';

const missing = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error);

interface Service {
  readonly url: string;
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  readonly query?: (statements: string) => Promise<unknown>;
}

type OnEnd = (end: () => unknown) => void;

/** Starts the service as the README does: `npm start` without settings, on a free port. */
async function npmStart(folder: string, onEnd: OnEnd): Promise<Service> {
  const { DATABASE_URL: _ours, ...env } = process.env;
  const child = spawn('npm', ['start'], { cwd: folder, env: { ...env, PORT: '0' } });
  const ended = new Promise(resolve => child.on('close', resolve));
  onEnd(() => {
    // npm passes it on, and ends when the service has.
    child.kill();
    return ended;
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    const url = /Carte is ready at (\S+)/.exec(printed)?.[1];
    const key = /carte_[\w-]{43}/.exec(printed)?.[0];
    if (url && key) return { url, key, env: {} };
  }
  throw new Error(`npm start ended: ${printed}`);
}

type Shell = Awaited<ReturnType<typeof openShell>>;

async function runBlock({ language, text, printed }: Block, service: Service, shell: Shell) {
  if (language === 'sh') return shell.run(runnable(text, service), { mayFail: printed !== undefined });
  if (!service.query) throw new Error('There is no database to run this on');
  await service.query(text);
  return undefined;
}

describe('every command in a document', () => {
  test('is found', () => {
    expect(documents).toContain('docs/operating.md');
    expect(blocksOf('README.md').map(({ text }) => text)).toContain('npm ci\nnpm start\n');
    expect(blocksOf('docs/pos.md').length).toBeGreaterThan(10);
  });

  test('starts TypeScript with the Node of node_modules, since that of the machine may be older', () => {
    const found = documents.flatMap(document => {
      const commands = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8').matchAll(
        /.*\bnode \S+\.ts/g,
      );
      return [...commands].map(([command]) => command);
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(command => !command.includes('npx node '))).toEqual([]);
  });

  test('is run by .ci/run where it is said to be', () => {
    const ci = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8').split('\n');
    const promised = Object.keys(notRun).filter(words => notRun[words] === '.ci/run runs it');
    expect(promised).toEqual(['npm ci', 'npm run check', 'npm test', 'npm run test:guides']);
    expect(ci).toEqual(expect.arrayContaining(promised));
  });
});

/** One leads from one service to another, the others have to be run in their folders: tests of their own run them. */
const hasOwnTest = (document: string) => document === 'docs/migrating.md' || document.startsWith('examples/');
/** This one changes the schema of the service that all but the README share, so it comes last. */
const changesSchema = (document: string) => document === 'docs/scaling-and-failover.md';
const withBlocks = documents
  .filter(document => !hasOwnTest(document))
  .toSorted((one, other) => Number(changesSchema(one)) - Number(changesSchema(other)))
  .map(document => ({ document, blocks: blocksOf(document) }));

const app = await startApp({ operations: [exampleSet] });
let demoKey = '';
beforeAll(async () => {
  demoKey = await loadDemo(app.orm);
});

/** The demo, whose database commands find by DATABASE_URL. */
async function sharedService(): Promise<Service> {
  const pool = await app.orm.em.getConnection().getNativeClient();
  const query = (statements: string) => pool.query(statements);
  return { url: app.url, key: demoKey, env: { DATABASE_URL: urlOf(app.orm) }, query };
}

// Processes are started in hooks, which a filter of tests skips as a whole; so they always end.
describe.skipIf(missing.length > 0).each(withBlocks.filter(({ blocks }) => blocks.length > 0))(
  `the commands of $document (missing here: ${missing.join(', ') || 'nothing'})`,
  ({ document, blocks }) => {
    const isReadme = document === 'README.md';
    const ends: (() => unknown)[] = [];
    let service: Service;
    let shell: Shell;

    beforeAll(async () => {
      const folder = makeCheckout();
      ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
      service = isReadme ? await npmStart(folder, end => ends.push(end)) : await sharedService();
      const { url, key } = service;
      await writeOrders(folder, url, key);
      const env = { ...service.env, CARTE_URL: url, CARTE_KEY: key };
      shell = await openShell(folder, { env, throughNpm: isReadme });
      ends.push(() => shell.close());
    }, 90_000);
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });

    test.each(blocks.map(block => ({ first: block.text.split('\n')[0], block })))('$first', async ({ block }) => {
      const printed = await runBlock(block, service, shell);
      if (block.printed !== undefined) expect(printed).toBe(block.printed);
      else expect(printed ?? '').not.toContain('"errors":');
    });
  },
);
