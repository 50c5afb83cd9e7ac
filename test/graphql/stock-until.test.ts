import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { runDueTimes } from '../../src/events/due-times.ts';
import { currentPosition, readEvents } from '../../src/events/log.ts';
import { waitUntil } from '../http/processes.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();
const { primary } = await createReadAccess(app.orm);
const timeout = 120_000;

const fields = `store { menuRevision items { inStock } modifierItems { inStock }
  temporarilySoldOut { until item { externalId } modifierItem { externalId } } }`;
const mutation = `mutation ($id: ID!, $items: [StockInput!], $modifierItems: [StockInput!]) {
  result: setStock(input: { storeId: $id, items: $items, modifierItems: $modifierItems }) { ${fields} }
}`;
const later = new Date(Date.now() + 3_600_000).toISOString();
const evenLater = new Date(Date.now() + 7_200_000).toISOString();
const entry = (externalId: string, inStock: boolean, until?: string) => ({ externalId, inStock, until });

const call = async (id: string, changes: object) => (await app.graphql(mutation, { id, ...changes })).body;
const set = async (id: string, changes: object) => (await call(id, changes)).data.result.store;
const stateOf = async (id: string) =>
  (await app.graphql(`query ($id: ID!) { store(id: $id) { ${fields.slice(8, -2)} } }`, { id })).body.data.store;
const pending = async (id: string) =>
  (await stateOf(id)).temporarilySoldOut.map(
    ({ item, modifierItem }: { item?: { externalId: string }; modifierItem?: { externalId: string } }) =>
      item?.externalId ?? modifierItem?.externalId,
  );
const makeDue = (id: string) => primary('update due_time set due_at = now() where store_id = $1', [id]);

async function createStore() {
  const store = await app.data.store();
  await app.data.menu(store);
  return { ...store, menuPath: `/v1/stores/${store.id}/menu_configuration/` };
}

describe('StockInput.until', () => {
  test('must be in the future, and of something that is sold out', async () => {
    const { id } = await createStore();
    const past = '2026-01-01T00:00:00.000Z';
    const { errors } = await call(id, {
      items: [entry('item', true, later), entry('unknown', false)],
      modifierItems: [entry('modifier', false, past)],
    });
    expect(
      errors[0].extensions.errors.map(({ path, message }: { path: string[]; message: string }) => [
        path.join('.'),
        message,
      ]),
    ).toEqual([
      ['input.items.0.until', 'only what is sold out is in stock again at a time'],
      ['input.modifierItems.0.until', expect.stringMatching(`^${past} is not in the future; it is `)],
      ['input.items.1.externalId', 'no item has the external id "unknown"'],
    ]);
    expect(await stateOf(id)).toMatchObject({ items: [{ inStock: true }], temporarilySoldOut: [] });
  });

  test('puts it back in stock by itself, once over all processes, as a change of the revision', {
    timeout,
  }, async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, createStore));
    const start = await currentPosition(primary);
    const closed = new AbortController();
    const failures: unknown[] = [];
    const others = [1, 2].map(() => runDueTimes(app.orm, error => failures.push(error), closed.signal));
    const before = await Promise.all(
      stores.map(({ id }) =>
        set(id, { items: [entry('item', false, later)], modifierItems: [entry('modifier', false, evenLater)] }),
      ),
    );
    expect(before[0]).toMatchObject({
      items: [{ inStock: false }],
      modifierItems: [{ inStock: false }],
      temporarilySoldOut: [
        { until: later, item: { externalId: 'item' }, modifierItem: null },
        { until: evenLater, item: null, modifierItem: { externalId: 'modifier' } },
      ],
    });
    const etags = await Promise.all(
      stores.map(async ({ menuPath }) => (await app.get(menuPath)).headers.get('etag') ?? ''),
    );
    await primary(`update due_time set due_at = now() where subject = 'items'`, []);
    await waitUntil(async () => (await primary(`select from due_time where subject = 'items'`, [])).length === 0);
    closed.abort();
    await Promise.all(others);
    expect(failures).toEqual([]);

    const eventsOf = (storeId: string) =>
      readEvents(primary, { after: start, limit: 10, storeId, kinds: ['STOCK_CHANGED'] });
    for (const [index, { id, menuPath }] of stores.entries()) {
      const after = await stateOf(id);
      expect(after).toMatchObject({
        items: [{ inStock: true }],
        modifierItems: [{ inStock: false }],
        temporarilySoldOut: [{ item: null }],
      });
      expect(after.menuRevision).toBeGreaterThan(before[index].menuRevision);
      const { status, body } = await app.get(menuPath, { 'if-none-match': etags[index] ?? '' });
      expect([status, body.menu_configuration[0].categories[0].items[0].in_stock]).toEqual([200, true]);
      await waitUntil(async () => (await eventsOf(id)).length >= 2);
      expect((await eventsOf(id)).map(({ kind, menuRevision }) => [kind, menuRevision])).toEqual([
        ['STOCK_CHANGED', before[index].menuRevision],
        ['STOCK_CHANGED', after.menuRevision],
      ]);
    }
    const history =
      'query ($id: ID!) { store(id: $id) { menuHistory(first: 2) { nodes { source keyName summary } } } }';
    const { nodes } = (await app.graphql(history, { id: stores[0]?.id })).body.data.store.menuHistory;
    expect(nodes).toEqual([
      { source: 'STOCK_UNTIL', keyName: null, summary: '1 item changed' },
      { source: 'STOCK', keyName: 'test', summary: expect.stringContaining('1 item changed') },
    ]);
  });

  test('is ended by the next call for the same entity, and moved by another time', async () => {
    const { id } = await createStore();
    const both = { items: [entry('item', false, later)], modifierItems: [entry('modifier', false, later)] };
    const { menuRevision } = await set(id, both);
    expect(await set(id, { items: [entry('item', false, evenLater)] })).toMatchObject({
      menuRevision,
      temporarilySoldOut: [
        { until: later, item: null },
        { until: evenLater, item: { externalId: 'item' } },
      ],
    });
    await set(id, { items: [entry('item', false)] });
    expect(await pending(id)).toEqual(['modifier']);
    await set(id, { modifierItems: [entry('modifier', true)] });
    expect(await pending(id)).toEqual([]);
    expect((await stateOf(id)).items).toEqual([{ inStock: false }]);
  });

  test('is ended by a replacement and by a restoration, which say what holds', async () => {
    const store = await createStore();
    const { id, menuPath } = store;
    const soldOut = { items: [entry('item', false, later)] };
    const { menuRevision } = await set(id, soldOut);
    // The same menu, as it is now: nothing changes but the time.
    const { body: flat } = await app.get(`${menuPath}flat`);
    expect((await app.post(menuPath, flat)).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ menuRevision, items: [{ inStock: false }], temporarilySoldOut: [] });
    await set(id, soldOut);
    expect(await pending(id)).toEqual(['item']);
    const restore =
      'mutation ($id: ID!, $revision: SafeInt!) { restoreMenuConfiguration(input: { storeId: $id, revision: $revision }) { store { menuRevision } } }';
    await app.graphql(restore, { id, revision: menuRevision });
    expect(await stateOf(id)).toMatchObject({ items: [{ inStock: false }], temporarilySoldOut: [] });
    await app.data.menu(store, smallMenu('Dinner'));
    expect((await stateOf(id)).items).toEqual([{ inStock: true }]);
  });

  test('of an entity that is gone, or in stock already, changes nothing', { timeout }, async () => {
    const { id } = await createStore();
    await set(id, { items: [entry('item', false, later)], modifierItems: [entry('modifier', false, later)] });
    await primary('delete from modifier_item where store_id = $1', [id]);
    await primary('update menu_item set in_stock = true where store_id = $1', [id]);
    const { menuRevision } = await stateOf(id);
    await makeDue(id);
    await waitUntil(async () => (await primary('select from due_time where store_id = $1', [id])).length === 0);
    expect((await stateOf(id)).menuRevision).toBe(menuRevision);
  });
});
