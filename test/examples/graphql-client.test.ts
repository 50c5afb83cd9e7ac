import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { runScript } from '../support/scripts.ts';

const app = await startApp();
const folder = fileURLToPath(new URL('../../examples/graphql-client', import.meta.url));
const run = (args: readonly string[], key = app.key) => runScript(folder, args, { CARTE_URL: app.url, CARTE_KEY: key });

describe('examples/graphql-client', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    expect(await run(['generate'])).toMatchObject({ code: 0 });
  }, 120_000);

  test('compiles against the types that codegen reads from the running graph', async () => {
    expect(await run(['check'])).toMatchObject({ code: 0 });
  });

  test('reads the menu, and every order once, by cursor', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
    expect(await run(['start', '--', store.id, '3'])).toMatchObject({
      code: 0,
      stdout: ['Lunch: 1 items, 0 sold out', 'orders in pages of 3, 3, 1: 8400 in all'],
    });
  });

  test('reads the same with Apollo Client, whose cache merges pages and keeps kinds of equal numbers apart', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
    expect(await run(['apollo', '--', store.id, '3'])).toMatchObject({
      code: 0,
      stdout: ['orders in the list after each page: 3, 6, 7 of 7', 'cached: 7 orders, 1 items, 1 modifier items'],
    });
  });

  test('handles each kind of error by its code', async () => {
    const store = await app.data.store();
    expect(await run(['start', '--', store.id], 'carte_wrong')).toMatchObject({
      code: 1,
      stderr: [expect.stringMatching(/^Check the API key\. The API key/)],
    });
    expect(await run(['start', '--', store.id, '5000'])).toMatchObject({
      code: 1,
      stderr: ['first: first is 5000; it must be at most 500'],
    });
    expect(await run(['start', '--', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: [`NOT_FOUND: No store in this key's scope has the id "nowhere".`],
    });
  });
});
