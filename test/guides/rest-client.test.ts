import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listedExamples, readExample } from '../examples/readme.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
const { folder, commands } = readExample('rest-client', app.key);

test('the commands of its README generate the client, compile it and call all nine routes', {
  timeout: 120_000,
}, async () => {
  const store = await app.data.store({ id: 'lisbon-baixa', city: 'Lisboa' });
  await app.data.menu(store);
  await app.data.orders(store, 7);
  const env = { ...process.env, CARTE_URL: app.url };
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], { cwd: folder, env });
  expect(stdout.trim().split('\n').slice(-5)).toEqual([
    '1 merchants, the first is Casa Verde',
    '1 stores; lisbon-baixa is in Lisboa',
    '7 orders; the latest is PENDING for Ana Lima',
    '1 items in 1 menus',
    'posted again: the same tree',
  ]);
});

test('examples/README.md lists every example', () => {
  const folders = readdirSync(new URL('../../examples', import.meta.url), { withFileTypes: true });
  const names = folders.filter(entry => entry.isDirectory()).map(({ name }) => name);
  expect(listedExamples().toSorted()).toEqual(names.toSorted());
});
