import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

test('with the option that the guide names, generated bodies may leave out what has a default', async () => {
  const guide = readFileSync(new URL('../../docs/pos.md', import.meta.url), 'utf8');
  const [, option = ''] = /`(--\S+)` to openapi-typescript/.exec(guide) ?? [];
  const generate = async (...options: string[]) => {
    const command = ['node_modules/.bin/openapi-typescript', `${app.url}/openapi/pos.json`, ...options];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder });
    return /^ +SetStoreStockRequest: \{.*?^ {8}\};/ms.exec(stdout)?.[0];
  };
  expect(await generate()).toMatch(/^ +modifier_items: /m);
  expect(await generate(option)).toMatch(/^ +modifier_items\?: /m);
});

test('examples/README.md lists every example', () => {
  const folders = readdirSync(new URL('../../examples', import.meta.url), { withFileTypes: true });
  const names = folders.filter(entry => entry.isDirectory()).map(({ name }) => name);
  expect(listedExamples().toSorted()).toEqual(names.toSorted());
});
