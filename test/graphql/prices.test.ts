import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { sharedApp } from '../support/app.ts';
import { endOfLog } from '../support/events.ts';

const app = await sharedApp();

const mutation = `mutation ($id: ID!, $items: [ItemPriceInput!], $modifierItems: [ModifierItemPriceInput!], $revision: SafeInt) {
  changePrices(input: { storeId: $id, items: $items, modifierItems: $modifierItems, expectedMenuRevision: $revision }) { store { menuRevision } }
}`;
const changePrices = (id: string, changes: object, key = app.key) =>
  app.graphql(mutation, { id, ...changes }, { 'x-api-key': key });

async function createStore() {
  const store = await app.data.store();
  await app.data.menu(store);
  const read = async () => {
    const { body } = await app.get(`/v1/stores/${store.id}/menu_configuration/flat`);
    const { price, tax } = body.items[0];
    const { price_change: priceChange, tax_change: taxChange } = body.modifier_items[0];
    return { price, tax, priceChange, taxChange };
  };
  return { id: store.id, read, before: await read() };
}

describe('changePrices', () => {
  test('changes the amounts that are given, and keeps the others and, where nothing differs, the revision', async () => {
    const { id, read, before } = await createStore();
    const { body } = await changePrices(id, {
      items: [{ externalId: 'item', price: 0 }],
      modifierItems: [{ externalId: 'modifier', taxChange: -7, priceChange: null }],
    });
    expect(await read()).toEqual({ ...before, price: 0, taxChange: -7 });
    const again = await changePrices(id, { items: [{ externalId: 'item', price: 0 }] });
    expect(again.body.data).toEqual(body.data);
  });

  test('is in the history and in the events of the store, as a change of its menu', async () => {
    const { id } = await createStore();
    await endOfLog((await createReadAccess(app.orm)).primary);
    const start = (await app.graphql(`{ store(id: "${id}") { events { next } } }`)).body.data.store.events.next;
    const { body } = await changePrices(id, { items: [{ externalId: 'item', tax: 1 }] });
    // It is in the log a moment later.
    const selection = `menuHistory(first: 1) { nodes { source revision menuChanges { entities { externalId } } } }
      events(after: "${start}", waitSeconds: 25) { events { kind menuRevision } }`;
    const { store } = (await app.graphql(`{ store(id: "${id}") { ${selection} } }`)).body.data;
    const revision = body.data.changePrices.store.menuRevision;
    expect(store.menuHistory.nodes).toMatchObject([{ source: 'PRICES', revision }]);
    expect(store.events.events).toEqual([{ kind: 'MENU_CHANGED', menuRevision: revision }]);
  });

  test('of unknown and repeated entities are refused together, and so is another revision than the expected one', async () => {
    const { id, read, before } = await createStore();
    const { errors } = (
      await changePrices(id, {
        items: ['item', 'soup', 'item'].map(externalId => ({ externalId, price: 1 })),
        modifierItems: [{ externalId: 'item', priceChange: 1 }],
      })
    ).body;
    expect(errors[0].extensions.errors).toMatchObject([
      { path: ['input', 'items', 2, 'externalId'], type: 'duplicate_external_id' },
      { path: ['input', 'items', 1, 'externalId'], type: 'reference_not_found' },
      { path: ['input', 'modifierItems', 0, 'externalId'], type: 'reference_not_found' },
    ]);
    const conflict = await changePrices(id, { items: [{ externalId: 'item', price: 1 }], revision: 1 });
    expect(conflict.body.errors[0].extensions.code).toBe('CONFLICT');
    expect(await read()).toEqual(before);
  });

  test('require the permission MENU, and a store in scope', async () => {
    const { id } = await createStore();
    const change = { items: [{ externalId: 'item', price: 1 }] };
    const kitchen = await app.newKey({ storeIds: [id], permissions: ['STOCK', 'ORDERS'] });
    expect((await changePrices(id, change, kitchen)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const office = await app.newKey({ storeIds: [id], permissions: ['MENU'] });
    expect((await changePrices((await createStore()).id, change, office)).body).toEqual({
      data: { changePrices: null },
    });
  });
});
