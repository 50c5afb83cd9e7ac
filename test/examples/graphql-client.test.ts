import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();
const folder = fileURLToPath(new URL('../../examples/graphql-client', import.meta.url));

async function npm(args: readonly string[], key = app.key) {
  const child = spawn('npm', args, { cwd: folder, env: { ...process.env, CARTE_URL: app.url, CARTE_KEY: key } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (said.stdout += chunk));
  child.stderr.on('data', chunk => (said.stderr += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, ...said };
}

/** What the client prints, line by line; npm's own warnings left out. */
async function start(args: readonly string[], key?: string) {
  const { code, stdout, stderr } = await npm(['start', '--silent', '--', ...args], key);
  const lines = (text: string) => text.split('\n').filter(line => line !== '' && !line.startsWith('npm '));
  return { code, stdout: lines(stdout), stderr: lines(stderr) };
}

describe('examples/graphql-client', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    expect(await npm(['run', 'generate'])).toMatchObject({ code: 0 });
  }, 120_000);

  test('compiles against the types that codegen reads from the running graph', async () => {
    expect(await npm(['run', 'check'])).toMatchObject({ code: 0 });
  });

  test('reads the menu, and every order once, by cursor', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
    expect(await start([store.id, '3'])).toEqual({
      code: 0,
      stdout: ['Lunch: 1 items, 0 sold out', 'orders in pages of 3, 3, 1: 8400 in all'],
      stderr: [],
    });
  });

  test('tells refusals apart by their code', async () => {
    const store = await app.data.store();
    expect(await start([store.id], 'carte_wrong')).toMatchObject({
      code: 1,
      stderr: [expect.stringMatching(/^Check the API key\. The API key/)],
    });
    expect(await start([store.id, '5000'])).toMatchObject({
      code: 1,
      stderr: ['pageSize: pageSize is 5000; it must be at most 500'],
    });
    expect(await start(['nowhere'])).toMatchObject({
      code: 1,
      stderr: [`NOT_FOUND: No store in this key's scope has the id "nowhere".`],
    });
  });
});
