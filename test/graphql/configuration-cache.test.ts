import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import type { Configuration } from '../../src/menu/configuration.ts';
import { replaceMenuConfiguration } from '../../src/menu/replace.ts';
import { createConfigurationCache, createMenuRepository } from '../../src/menu/repository.ts';
import type { Store } from '../../src/store/entities.ts';
import { sharedApp } from '../support/app.ts';
import { operatorFork, smallMenu } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';

const app = await sharedApp();
const access = await createReadAccess(app.orm);
const statement = (text: string, values: readonly unknown[]) => app.orm.em.fork().execute(text, [...values]);

async function createStore(): Promise<Store> {
  const store = await app.data.store();
  await app.data.menu(store);
  return store;
}

describe('a linked configuration', async () => {
  const repository = createMenuRepository(access);
  const find = async ({ id }: Store) => (await repository.findConfigurations([id])).get(id);

  test('is shared by all readers of its revision, also in transactions', async () => {
    const store = await createStore();
    const [first, second] = await Promise.all([find(store), find(store)]);
    expect(first?.items.size).toBe(1);
    expect(second).toBe(first);
    expect(await find(store)).toBe(first);
    await operatorFork(app.orm).transactional(async tx => {
      expect((await repository.findOrderableIn(tx, store.id))?.configuration).toBe(first);
    });
  });

  test.each<[string, (store: Store) => Promise<unknown>, string]>([
    ['a replacement', store => app.data.menu(store, smallMenu('Dinner')), 'Dinner'],
    [
      'a statement by hand',
      ({ id }) =>
        statement(`update menu_item set name = '{"translations": {"en": "Brunch"}}' where store_id = ?`, [id]),
      'Brunch',
    ],
    [
      'another store with its id',
      async ({ id }) => {
        await statement('delete from store where id = ?', [id]);
        await app.data.menu(await app.data.store({ id }), smallMenu('Reopened'));
      },
      'Reopened',
    ],
  ])('is that of the next revision after %s', async (_what, change, name) => {
    const store = await createStore();
    const before = await find(store);
    await change(store);
    const after = await find(store);
    expect(after?.items.get('item')?.name.translations).toEqual({ en: name });
    expect(before?.items.get('item')?.name.translations).toEqual({ en: 'Lunch' });
    expect(await find(store)).toBe(after);
  });

  test('is empty after its store was deleted and created again, and absent in between', async () => {
    const store = await createStore();
    await find(store);
    await statement('delete from store where id = ?', [store.id]);
    expect(await find(store)).toBeUndefined();
    await app.data.store({ id: store.id });
    expect((await find(store))?.items.size).toBe(0);
  });

  test('of a transaction that is rolled back is seen by nobody', async () => {
    const store = await createStore();
    const before = await find(store);
    const rolledBack = operatorFork(app.orm).transactional(async tx => {
      await replaceMenuConfiguration(tx, store, { input: smallMenu('Never') });
      expect(await find(store)).toBe(before);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await find(store)).toBe(before);
  });

  test('is read in the one statement that reads those which are not cached', async () => {
    const stores = [await createStore(), await createStore(), await createStore()];
    const ids = stores.map(({ id }) => id);
    const [one, two] = await Promise.all(stores.slice(0, 2).map(find));
    await app.data.menu({ ...stores[1] } as Store, smallMenu('Dinner'));
    const { result, statements } = await app.statements.during(() => repository.findConfigurations([...ids, 'none']));
    expect(statements).toHaveLength(1);
    expect([...result.keys()].sort()).toEqual(ids.toSorted());
    expect(result.get(ids[0] ?? '')).toBe(one);
    expect(result.get(ids[1] ?? '')?.revision).toBeGreaterThan(two?.revision ?? 0);
    expect(result.get(ids[2] ?? '')?.items.size).toBe(1);
  });

  test('of the longest unused stores is dropped when all of them are too long', () => {
    const cache = createConfigurationCache();
    const configuration = (storeId: string) => ({ storeId, revision: 1 }) as Configuration;
    for (const id of ['a', 'b', 'c']) cache.set(configuration(id), 10 * 1024 * 1024);
    cache.get('a');
    cache.set(configuration('d'), 10 * 1024 * 1024);
    expect(['a', 'b', 'c', 'd'].map(id => cache.get(id)?.storeId)).toEqual(['a', undefined, 'c', 'd']);
    for (let index = 0; index < 100_000; index++) cache.set(configuration(`empty-${index}`), 10);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('empty-0')).toBeUndefined();
  });
});

describe('placeOrder', () => {
  const { createStore: createEveningStore, tryToPlace, place } = createOrderCalls(app);

  test('refuses what another process has marked as sold out, or priced otherwise, since the order before', async () => {
    const storeId = await createEveningStore();
    expect((await place(storeId, ['1 cola'])).price).toBe(250);
    await statement(`update menu_item set price = 300 where store_id = ? and external_id = 'cola'`, [storeId]);
    expect((await place(storeId, ['1 cola'])).price).toBe(300);
    await statement(`update menu_item set in_stock = false where store_id = ? and external_id = 'cola'`, [storeId]);
    const { error } = await tryToPlace(inputFor(storeId, [line('1 cola')]));
    expect(error?.extensions.errors).toMatchObject([{ type: 'sold_out' }]);
  });

  test('of a store that is out of scope is null, also if its configuration is cached', async () => {
    const storeId = await createEveningStore();
    await place(storeId, ['1 cola']);
    const key = await app.newKey({ storeIds: [(await app.data.store()).id], permissions: ['ORDERS'] });
    const query = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }`;
    const variables = { input: inputFor(storeId, [line('1 cola')]) };
    const { body } = await app.graphql(query, variables, { 'x-api-key': key });
    expect(body).toEqual({ data: { placeOrder: null } });
    const menu = `{ store(id: "${storeId}") { items { price { amount } } } }`;
    expect((await app.graphql(menu, {}, { 'x-api-key': key })).body).toEqual({ data: { store: null } });
  });
});
