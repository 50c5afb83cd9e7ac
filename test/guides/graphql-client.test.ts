import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readExample } from '../examples/readme.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
const { folder, commands } = readExample('graphql-client', app.key);

async function runIn(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, CARTE_URL: app.url, ...env } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, stdout: linesOf(output.stdout), stderr: linesOf(output.stderr) };
}

/** Runs the client as `npm start` does, without npm. */
const start = (args: readonly string[], key = app.key) =>
  runIn(process.execPath, ['client.ts', ...args], { CARTE_KEY: key });

const linesOf = (text: string) => text.split('\n').filter(line => line !== '');

describe('examples/graphql-client', { timeout: 120_000 }, () => {
  test('the commands of its README generate the types from the running graph, compile it and read menu and orders', async () => {
    const store = await app.data.store({ id: 'lisbon-baixa', currency: 'EUR' });
    await app.data.menu(store);
    await app.data.orders(store, 201);
    const { code, stdout, stderr } = await runIn('bash', ['-euc', commands]);
    expect(code, stderr.join('\n')).toBe(0);
    expect(stdout.slice(-14).map(line => line.replace(/\d{4}-\S+Z$/, 'TIME'))).toEqual([
      'Lunch: 1 items, 0 sold out',
      'orders in pages of 100, 100, 1: 241200 in all',
      'orders in the list after each page: 100, 200, 201 of 201',
      // Items and modifier items have the same numbers.
      'cached: 201 orders, 1 items, 1 modifier items',
      '2 × Lunch                                     €19.00',
      '    ! no hurry',
      'Cover                                          €1.50',
      'Tip                                            €1.00',
      'Total                                         €21.50',
      'ACCEPTED: DINE_IN at table 12 for Inês Duarte, ready by TIME',
      '  2 × Lunch',
      '      ! no hurry',
      '  PENDING by test',
      '  ACCEPTED by test: at once',
    ]);
  });

  test('handles each kind of error by its code', async () => {
    const store = await app.data.store();
    expect(await start([store.id], 'carte_wrong')).toMatchObject({
      code: 1,
      stderr: [expect.stringMatching(/^Check the API key\. The API key/)],
    });
    expect(await start([store.id, '5000'])).toMatchObject({
      code: 1,
      stderr: ['first: 5000 is too large; it must be at most 500'],
    });
    expect(await start(['nowhere'])).toMatchObject({
      code: 1,
      stderr: [`NOT_FOUND: No store in this key's scope has the id "nowhere".`],
    });
  });
});
