import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();
const folder = fileURLToPath(new URL('../../examples/graphql-client', import.meta.url));

async function runIn(command: string, args: readonly string[], key = app.key) {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, CARTE_URL: app.url, CARTE_KEY: key } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, ...output };
}

/** Runs a script of its package.json as `npm run` does, without the start of npm. */
const runScript = (...args: readonly string[]) => runIn(process.execPath, ['--run', ...args]);

/** Runs the client as `npm start` does, without npm. */
async function start(args: readonly string[], key?: string) {
  const { code, stdout, stderr } = await runIn(process.execPath, ['client.ts', ...args], key);
  return { code, stdout: linesOf(stdout), stderr: linesOf(stderr) };
}

const linesOf = (text: string) => text.split('\n').filter(line => line !== '');

describe('examples/graphql-client', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    expect(await runScript('generate')).toMatchObject({ code: 0 });
  }, 120_000);

  test('compiles against the types that codegen reads from the running graph', async () => {
    expect(await runScript('check')).toMatchObject({ code: 0 });
  });

  test('reads the menu, and every order once, by cursor', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
    const { code, stdout } = await runScript('start', '--', store.id, '3');
    expect({ code, lines: linesOf(stdout) }).toEqual({
      code: 0,
      lines: ['Lunch: 1 items, 0 sold out', 'orders in pages of 3, 3, 1: 8400 in all'],
    });
  });

  test('handles each kind of error by its code', async () => {
    const store = await app.data.store();
    expect(await start([store.id], 'carte_wrong')).toMatchObject({
      code: 1,
      stderr: [expect.stringMatching(/^Check the API key\. The API key/)],
    });
    expect(await start([store.id, '5000'])).toMatchObject({
      code: 1,
      stderr: ['pageSize: 5000 is too large; it must be at most 500'],
    });
    expect(await start(['nowhere'])).toMatchObject({
      code: 1,
      stderr: [`NOT_FOUND: No store in this key's scope has the id "nowhere".`],
    });
  });
});
