import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const name = { translations: { en: 'Text' } };

const item = (id: string, more: object = {}) => ({
  external_id: id,
  name,
  price: 100,
  tax: 10,
  sell_separately: true,
  ...more,
});
const category = (id: string, items: readonly string[]) => ({ external_id: id, name, item_external_ids: items });
const menu = (id: string, categories: readonly string[]) => ({
  external_id: id,
  availability: [],
  category_external_ids: categories,
});
const group = (id: string, items: readonly string[]) => ({
  ...{ external_id: id, type: 'CHOICE', name, group_max: 1, group_min: 0, charge_after: 0 },
  modifier_item_external_ids: items,
});
const modifier = (id: string, menuItem: string) => ({
  ...{ external_id: id, name, price_change: 0, tax_change: 0, min_quantity: 0, max_quantity: 1, default_quantity: 0 },
  menu_item_external_id: menuItem,
});

/** A new store, with functions that write and read its configuration. */
async function newStore() {
  const store = await app.data.store();
  const path = `/v1/stores/${store.id}/menu_configuration/`;
  return {
    ...store,
    path,
    post: (body: object, headers: Record<string, string> = {}) => app.post(path, body, headers),
    tree: () => app.get(path),
    flat: async () => (await app.get(`${path}flat`)).body,
  };
}

const idsOf = (list: readonly { readonly external_id: string }[]) => list.map(entity => entity.external_id);

describe('Replace or merge', () => {
  test('entities that are not posted are deleted, and omitted lists are empty', async () => {
    const store = await newStore();
    await store.post({ items: [item('a'), item('b')], categories: [category('c', ['a'])], menus: [menu('m', ['c'])] });
    await store.post({ items: [item('b')] });
    const { items, ...others } = await store.flat();
    expect(idsOf(items)).toEqual(['b']);
    expect(others).toEqual({ menus: [], categories: [], modifier_groups: [], modifier_items: [] });
    expect((await store.tree()).body).toEqual({ menu_configuration: [] });
  });

  test('a read returns one configuration or the other, never parts of both', async () => {
    const store = await newStore();
    const versions = ['one', 'two'].map(id => ({ items: [item(id)], categories: [category(id, [id])] }));
    const [one = {}, two = {}] = versions;
    await store.post(one);
    let isReading = true;
    const writing = (async () => {
      for (let round = 0; isReading; round++) await store.post(round % 2 ? one : two);
    })();
    for (let read = 0; read < 20; read++) {
      const { items, categories } = await store.flat();
      expect(idsOf(items)).toEqual(idsOf(categories));
    }
    isReading = false;
    await writing;
  });
});

describe('Service-assigned ids', () => {
  test('an id stays with its external id, and is never reused', async () => {
    const store = await newStore();
    const idOf = async () => (await store.flat()).items[0].id;
    await store.post({ items: [item('a')] });
    const first = await idOf();
    await store.post({ items: [item('a', { price: 5 })] });
    expect(await idOf()).toBe(first);
    await store.post({ items: [] });
    await store.post({ items: [item('a')] });
    expect(await idOf()).toBeGreaterThan(first);
  });
});

describe('Unresolved references, duplicate external ids', () => {
  test('every one is reported with its loc, and nothing is saved', async () => {
    const store = await newStore();
    await store.post({ items: [item('kept')] });
    const { status, body } = await store.post({
      items: [item('a', { modifier_external_ids: ['x'] }), item('a')],
      categories: [category('c', ['a', 'y', 'a'])],
      menus: [menu('m', ['z'])],
      modifier_groups: [group('g', ['v'])],
      modifier_items: [modifier('i', 'w')],
    });
    expect(status).toBe(422);
    const at = (...loc: (string | number)[]) => ['body', ...loc];
    expect(body.detail).toEqual([
      {
        loc: at('items', 1, 'external_id'),
        msg: 'external id "a" is already that of the item at index 0',
        type: 'duplicate_external_id',
      },
      {
        loc: at('menus', 0, 'category_external_ids', 0),
        msg: 'no category has the external id "z"',
        type: 'reference_not_found',
      },
      {
        loc: at('categories', 0, 'item_external_ids', 1),
        msg: 'no item has the external id "y"',
        type: 'reference_not_found',
      },
      {
        loc: at('categories', 0, 'item_external_ids', 2),
        msg: 'external id "a" is already listed at index 0',
        type: 'duplicate_reference',
      },
      {
        loc: at('items', 0, 'modifier_external_ids', 0),
        msg: 'no modifier group has the external id "x"',
        type: 'reference_not_found',
      },
      {
        loc: at('modifier_groups', 0, 'modifier_item_external_ids', 0),
        msg: 'no modifier item has the external id "v"',
        type: 'reference_not_found',
      },
      {
        loc: at('modifier_items', 0, 'menu_item_external_id'),
        msg: 'no item has the external id "w"',
        type: 'reference_not_found',
      },
    ]);
    expect(idsOf((await store.flat()).items)).toEqual(['kept']);
  });

  test('entities of different kinds may share an external id', async () => {
    const store = await newStore();
    const body = { items: [item('a')], categories: [category('a', ['a'])], menus: [menu('a', ['a'])] };
    expect((await store.post(body)).status).toBe(200);
  });
});

describe('Entities that nothing refers to', () => {
  test('are in the flat form and in the graph, not in the tree', async () => {
    const store = await newStore();
    const { body } = await store.post({ items: [item('a')], categories: [category('c', ['a'])] });
    expect(body).toEqual({ menu_configuration: [] });
    expect(idsOf((await store.flat()).items)).toEqual(['a']);
    const response = await app.graphql('query ($id: ID!) { store(id: $id) { items { externalId } } }', {
      id: store.id,
    });
    expect(response.body.data.store.items).toEqual([{ externalId: 'a' }]);
  });
});

describe('Order of lists', () => {
  test('lists and links are in the posted order', async () => {
    const store = await newStore();
    const { body } = await store.post({
      items: [item('b'), item('c'), item('a')],
      categories: [category('z', ['c', 'a', 'b']), category('y', [])],
      menus: [menu('m', ['y', 'z'])],
    });
    const [{ categories }] = body.menu_configuration;
    expect(idsOf(categories)).toEqual(['y', 'z']);
    expect(idsOf(categories[1].items)).toEqual(['c', 'a', 'b']);
    expect(idsOf((await store.flat()).items)).toEqual(['b', 'c', 'a']);
  });
});

describe('Order of keys in maps', () => {
  test('as posted, except for integers, which come first', async () => {
    const store = await newStore();
    const text = JSON.stringify({ items: [item('a')] }).replace(
      /"translations":\{[^}]*\}/,
      '"translations":{"pt":"x","10":"y","en":"z","2":"w"}',
    );
    await app.post(`/v1/stores/${store.id}/menu_configuration/`, text);
    const { text: flat } = await app.get(`/v1/stores/${store.id}/menu_configuration/flat`);
    expect(flat).toContain('"translations":{"2":"w","10":"y","pt":"x","en":"z"}');
  });
});

describe('Circular modifiers', () => {
  test('are accepted, and the tree does not follow them', async () => {
    const store = await newStore();
    const { status, body } = await store.post({
      items: [item('a', { modifier_external_ids: ['g'] })],
      categories: [category('c', ['a'])],
      menus: [menu('m', ['c'])],
      modifier_groups: [group('g', ['i'])],
      modifier_items: [modifier('i', 'a')],
    });
    expect(status).toBe(200);
    const [modifierItem] = body.menu_configuration[0].categories[0].items[0].modifier_groups[0].modifier_items;
    expect(modifierItem).toMatchObject({ external_id: 'i', menu_item_external_id: 'a' });
    expect(modifierItem).not.toHaveProperty('modifier_groups');
  });
});
