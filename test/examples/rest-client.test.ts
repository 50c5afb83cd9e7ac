import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();
const folder = fileURLToPath(new URL('../../examples/rest-client', import.meta.url));
/** Runs a script of its package.json as `npm run` does, without the start of npm. */
const runScript = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--run', ...args], {
    cwd: folder,
    env: { ...process.env, CARTE_URL: app.url, CARTE_KEY: app.key },
  });

test('a client generated from our OpenAPI document compiles and calls all nine routes', {
  timeout: 120_000,
}, async () => {
  const store = await app.data.store({ city: 'Lisboa' });
  await app.data.menu(store);
  await app.data.orders(store, 7);
  await runScript('generate');
  await runScript('check');
  const { stdout } = await runScript('start', '--', store.id);
  expect(stdout.trim().split('\n')).toEqual([
    '1 merchants, the first is Casa Verde',
    `1 stores; ${store.id} is in Lisboa`,
    '7 orders; the latest is PENDING for Ana Lima',
    '1 items in 1 menus',
    'posted again: the same tree',
  ]);
});
