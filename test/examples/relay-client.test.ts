import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { runScript } from '../support/scripts.ts';

const app = await startApp();
const folder = fileURLToPath(new URL('../../examples/relay-client', import.meta.url));
const run = (...args: readonly string[]) => runScript(folder, args, { CARTE_URL: app.url, CARTE_KEY: app.key });

describe('examples/relay-client', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    expect(await run('generate')).toMatchObject({ code: 0 });
  }, 120_000);

  test('compiles against the types that the compiler of Relay generates from the running graph', async () => {
    expect(await run('check')).toMatchObject({ code: 0 });
  });

  test('pages through connections in both directions, refetches them, and keeps entities with equal ids apart', async () => {
    const merchant = await app.data.merchant({ id: 'same', brandName: 'Casa Azul' });
    const store = await app.data.store({ id: 'same', merchant: merchant.id });
    // Its item and modifier item have the same number, too.
    await app.data.menu(store);
    await app.data.orders(store, 7);
    expect(await run('start', '--', store.id, '3')).toEqual({
      code: 0,
      stdout: [
        'forward: 3, 6, 7 orders, newest first',
        'refetched: 3 of 7 orders',
        'backward: 3, 6, 7 orders, newest first',
        'refetched: 3 of 7 orders',
        'store same of merchant same, Casa Azul',
        'items: item',
        'modifier items: modifier',
      ],
      stderr: [],
    });
  });
});
