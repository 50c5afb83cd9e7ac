import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { operatorFork, smallMenu } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run } from './support.ts';

const app = await startApp();
const demoKey = await loadDemo(app.orm);
const env = { DATABASE_URL: urlOf(app.orm) };
const menuPath = '/v1/stores/lisbon-baixa/menu_configuration/';

/** Reads the demo through the running service; its orders are drawn for the current time, so that only their number is the same. */
async function readDemo(key: string) {
  const get = async (path: string) => (await app.get(path, { 'x-api-key': key })).body;
  const [merchant, store, menu] = await Promise.all(
    ['/v1/merchants/dona-gaivota', '/v1/stores/lisbon-baixa', menuPath].map(get),
  );
  return {
    merchant,
    store,
    // Entities that were deleted and are back have new ids.
    menu: JSON.parse(JSON.stringify(menu), (name, value) => (name === 'id' ? undefined : value)),
    orders: (await get('/v1/stores/lisbon-baixa/orders/')).count,
  };
}

async function changeDemo() {
  const sql = (text: string) => operatorFork(app.orm).execute(text);
  const input = { storeId: 'lisbon-baixa', ...smallMenu() };
  const mutation =
    'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { id } } }';
  expect((await app.graphql(mutation, { input })).body.errors).toBeUndefined();
  await sql("update merchant set brand_name = 'Gull' where id = 'dona-gaivota'");
  await sql("update store set merchant_id = null, city = 'Faro' where id = 'lisbon-baixa'");
  await sql("update orders set status = 'REJECTED' where store_id = 'lisbon-baixa'");
  await sql(`update store set ordering = '{"state": "PAUSED"}' where id = 'mexico-roma'`);
  await sql("insert into due_time values ('mexico-roma', 'ordering', '', now() + interval '1 hour')");
  await sql("update menu_item set prep_type = 'GRILL' where store_id = 'tokyo-yanaka'");
}

describe('carte demo reset', () => {
  test('restores the demo of a running service, for the same keys, and changes nothing else', async () => {
    const before = await readDemo(demoKey);
    const own = await app.data.store({ merchant: 'dona-gaivota' });
    await app.data.menu(own);
    const ownOrders = await app.data.orders(own, 2);
    await changeDemo();
    // Now, since a store that leaves its merchant loses its grants.
    const lisbonKey = await app.newKey({ storeIds: ['lisbon-baixa'] });
    const [added] = await app.data.orders({ ...own, id: 'lisbon-baixa' }, 1);
    expect(await readDemo(demoKey)).not.toEqual(before);
    const etag = (await app.get(menuPath)).headers.get('etag') ?? '';
    const countKeys = () => operatorFork(app.orm).execute('select count(*)::int as n from order_idempotency_key');
    await operatorFork(app.orm).execute(
      "insert into order_idempotency_key values ('lisbon-baixa', 'key', 'hash', 'order', now())",
    );

    const { code, stdout, stderr } = await run(['demo', 'reset'], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^Restored: 1 of 2 merchants, 1 of 4 stores, 2 of 4 menus\.\nOrders: \d+ removed, /);
    expect((await app.get(menuPath, { 'if-none-match': etag })).status).toBe(200);
    for (const key of [demoKey, lisbonKey]) expect(await readDemo(key)).toEqual(before);
    expect((await app.get(`/v1/orders/${added?.id}`)).status).toBe(404);
    expect(await countKeys()).toEqual([{ n: 0 }]);
    const paused =
      'select (select count(*) from due_time)::int + (select count(*) from store where ordering is not null)::int as n';
    expect(await operatorFork(app.orm).execute(paused)).toEqual([{ n: 0 }]);
    const { body } = await app.graphql(
      'query ($id: ID!) { tokyo: store(id: "tokyo-yanaka") { items { preparationType } } own: store(id: $id) { items { id } orders { nodes { id } } } }',
      { id: own.id },
    );
    expect(JSON.stringify(body.data.tokyo)).not.toContain('GRILL');
    expect(body.data.own.items).toHaveLength(1);
    expect(body.data.own.orders.nodes).toHaveLength(ownOrders.length);
  });

  test('of an unchanged demo renews its orders alone', async () => {
    const { headers } = await app.get(menuPath);
    const { code, stderr } = await run(['demo', 'reset'], env);
    expect(code).toBe(0);
    expect(stderr).toContain('Restored: 0 of 2 merchants, 0 of 4 stores, 0 of 4 menus.\n');
    expect((await app.get(menuPath, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  test('refuses a database without the demo, even one with a store of the same id', async () => {
    const orm = await createDatabase();
    await operatorFork(orm).execute("insert into store (id, name) values ('lisbon-baixa', '{}')");
    expect(await run(['demo', 'reset'], { DATABASE_URL: urlOf(orm) })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'carte: This database has no demo: there is no merchant dona-gaivota or ajolote-azul. `carte serve` loads it when it starts on an empty embedded database.\n',
    });
  });
});
