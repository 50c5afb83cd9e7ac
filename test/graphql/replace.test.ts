import { describe, expect, test } from 'vitest';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';
import { replaceMenuConfiguration } from '../../src/menu/replace.ts';
import { sharedApp } from '../support/app.ts';
import { operatorFork, smallMenu } from '../support/data.ts';

const app = await sharedApp();

const mutation = `mutation ($input: ReplaceMenuConfigurationInput!) {
  replaceMenuConfiguration(input: $input) {
    store {
      menuRevision
      menus { id externalId categories { externalId items { id externalId name { translations } } } }
      items { id externalId }
    }
  }
}`;

const replace = (storeId: string, menu: object, expectedMenuRevision?: number) =>
  app.graphql(mutation, { input: { storeId, expectedMenuRevision, ...menu } });

const sql = <T>(text: string, values: unknown[] = []) => operatorFork(app.orm).execute<T[]>(text, values);

const tables = ['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];

/** Returns the physical version of each row, which changes when the row is written. */
async function rowVersions(storeId: string): Promise<string> {
  const lists = await Promise.all(
    tables.map(table =>
      sql(`select ctid::text, xmin::text, id from ${table} where store_id = ? order by id`, [storeId]),
    ),
  );
  return JSON.stringify(lists);
}

async function lastIds(): Promise<string> {
  const lists = await Promise.all(tables.map(table => sql(`select last_value::text from ${table}_id_seq`)));
  return JSON.stringify(lists);
}

describe('replaceMenuConfiguration', () => {
  test('returns the new configuration and its revision', async () => {
    const store = await app.data.store();
    const { body } = await replace(store.id, smallMenu('Soup'));
    expect(body.errors).toBeUndefined();
    expect(body.data.replaceMenuConfiguration).toEqual({
      store: {
        menuRevision: expect.any(Number),
        menus: [
          {
            id: expect.any(String),
            externalId: 'menu',
            categories: [
              {
                externalId: 'category',
                items: [{ id: expect.any(String), externalId: 'item', name: { translations: { en: 'Soup' } } }],
              },
            ],
          },
        ],
        items: [{ id: expect.any(String), externalId: 'item' }],
      },
    });
  });

  test('keeps the ids of existing external ids, assigns new ones to others, and reuses none', async () => {
    const store = await app.data.store();
    const item = smallMenu().items[0];
    const post = async (...externalIds: string[]) => {
      const { body } = await replace(store.id, {
        items: externalIds.map(externalId => ({ ...item, externalId, modifierGroupExternalIds: [] })),
      });
      const items: { id: string; externalId: string }[] = body.data.replaceMenuConfiguration.store.items;
      expect(items.map(found => found.externalId)).toEqual(externalIds);
      return Object.fromEntries(items.map(found => [found.externalId, Number(found.id.replace('item_', ''))]));
    };
    const first = await post('a', 'b', 'c');
    const second = await post('c', 'd', 'a');
    expect(second).toMatchObject({ a: first.a, c: first.c });
    expect(second.d).toBe(Number(first.c) + 1);
    const third = await post('b');
    expect(third.b).toBe(Number(second.d) + 1);
  });

  test('writes nothing if the configuration is the same', async () => {
    const store = await app.data.store();
    const first = await replace(store.id, smallMenu());
    const before = [await rowVersions(store.id), await lastIds()];
    const { body } = await replace(store.id, smallMenu());
    expect(body).toEqual(first.body);
    expect([await rowVersions(store.id), await lastIds()]).toEqual(before);
  });

  test('writes nothing if the input is invalid, and reports every error with its path', async () => {
    const store = await app.data.store();
    await replace(store.id, smallMenu());
    const before = [await rowVersions(store.id), await lastIds()];
    const good = smallMenu();
    const bad: ConfigurationInput = {
      ...good,
      items: [...good.items, ...good.items, ...good.items.map(item => ({ ...item, externalId: '' }))],
      categories: (good.categories ?? []).map(category => ({ ...category, itemExternalIds: ['item', 'item', 'gone'] })),
      menus: (good.menus ?? []).map(menu => ({ ...menu, categoryExternalIds: ['x"y'] })),
      modifierItems: (good.modifierItems ?? []).map(item => ({ ...item, itemExternalId: 'lost' })),
    };
    const { body } = await replace(store.id, bad);
    expect(body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [
        {
          path: ['input', 'items', 1, 'externalId'],
          type: 'duplicate_external_id',
          message: 'external id "item" is already that of the item at index 0',
        },
        {
          path: ['input', 'items', 2, 'externalId'],
          type: 'string_too_short',
          message: 'String should have at least 1 character',
        },
        {
          path: ['input', 'menus', 0, 'categoryExternalIds', 0],
          type: 'reference_not_found',
          message: 'no category has the external id "x\\"y"',
        },
        {
          path: ['input', 'categories', 0, 'itemExternalIds', 1],
          type: 'duplicate_reference',
          message: 'external id "item" is already listed at index 0',
        },
        {
          path: ['input', 'categories', 0, 'itemExternalIds', 2],
          type: 'reference_not_found',
          message: 'no item has the external id "gone"',
        },
        {
          path: ['input', 'modifierItems', 0, 'itemExternalId'],
          type: 'reference_not_found',
          message: 'no item has the external id "lost"',
        },
      ],
    });
    expect([await rowVersions(store.id), await lastIds()]).toEqual(before);
  });

  test('fails with CONFLICT if the revision is not the expected one', async () => {
    const store = await app.data.store();
    const first = await replace(store.id, smallMenu('one'), 0);
    const revision = first.body.data.replaceMenuConfiguration.store.menuRevision;
    expect(revision).toBeGreaterThan(0);
    const { body } = await replace(store.id, smallMenu('two'), 0);
    expect(body.errors[0]).toMatchObject({
      message: 'The menu configuration is no longer at revision 0.',
      extensions: { code: 'CONFLICT' },
    });
    const next = await replace(store.id, smallMenu('two'), revision);
    expect(next.body.data.replaceMenuConfiguration.store.menuRevision).toBeGreaterThan(revision);
  });

  test('returns null for a store out of scope, as for one that does not exist', async () => {
    const store = await app.data.store();
    const other = await app.data.merchant();
    const key = await app.newKey({ merchantIds: [other.id] });
    const variables = (id: string) => ({ input: { storeId: id, ...smallMenu() } });
    const foreign = await app.graphql(mutation, variables(store.id), { 'x-api-key': key });
    const absent = await app.graphql(mutation, variables('no-such-store'), { 'x-api-key': key });
    expect(foreign.body).toEqual({ data: { replaceMenuConfiguration: null } });
    expect(absent.body).toEqual(foreign.body);
  });

  test('returns texts as posted: order of keys, special keys, quotes', async () => {
    const store = await app.data.store();
    const translations = JSON.parse(
      '{"zh_hk": "湯", "en": "Soup \\\\ \\"quoted\\" \'single\' $1 ?", "__proto__": "a", "constructor": "b", "": "c", "1": "d"}',
    );
    const menu = smallMenu();
    const items = menu.items.map(item => ({ ...item, name: { translations } }));
    await replace(store.id, { ...menu, items });
    const { text } = await app.graphql('query ($id: ID!) { store(id: $id) { items { name { translations } } } }', {
      id: store.id,
    });
    expect(text).toContain(JSON.stringify(translations));
  });

  test('rejects NUL characters and lone surrogates with their path', async () => {
    const store = await app.data.store();
    const item = { ...smallMenu().items[0], modifierGroupExternalIds: [] };
    const { body } = await replace(store.id, {
      items: [{ ...item, ingredients: 'a\0b', name: { translations: { en: '\ud800', 'x\0': 'y' } } }],
    });
    expect(body.errors[0].extensions.errors).toEqual([
      {
        path: ['input', 'items', 0, 'name', 'translations', 'en'],
        type: 'value_error',
        message: 'Value error, a lone surrogate is not a character',
      },
      {
        path: ['input', 'items', 0, 'name', 'translations', 'x\0'],
        type: 'value_error',
        message: 'Value error, the character U+0000 is not allowed',
      },
      {
        path: ['input', 'items', 0, 'ingredients'],
        type: 'value_error',
        message: 'Value error, the character U+0000 is not allowed',
      },
    ]);
  });

  test('reports values of a wrong type with their path, all of them at once', async () => {
    const store = await app.data.store();
    const item = { ...smallMenu().items[0], modifierGroupExternalIds: [], price: '1', size: 2, tax: undefined };
    const { body } = await replace(store.id, { items: Array(60).fill(item) });
    const { errors } = body.errors[0].extensions;
    expect(errors).toHaveLength(180);
    expect(errors.slice(0, 3)).toEqual([
      {
        path: ['input', 'items', 0, 'price'],
        type: 'value_error',
        message: '"1" is not a whole number within ±(2^53−1)',
      },
      {
        path: ['input', 'items', 0, 'tax'],
        type: 'missing',
        message: 'Field "tax" of required type "SafeInt!" was not provided.',
      },
      {
        path: ['input', 'items', 0, 'size'],
        type: 'extra_forbidden',
        message: 'Field "size" is not defined by type "MenuItemInput".',
      },
    ]);
  });

  test('keeps the preparationType that the operator has set', async () => {
    const store = await app.data.store();
    await replace(store.id, smallMenu());
    await sql("update menu_item set prep_type = 'GRILL' where store_id = ?", [store.id]);
    await replace(store.id, smallMenu('renamed'));
    const { body } = await app.graphql('query ($id: ID!) { store(id: $id) { items { preparationType } } }', {
      id: store.id,
    });
    expect(body.data.store.items).toEqual([{ preparationType: 'GRILL' }]);
  });

  test('does not block orders of the same store before it is committed', async () => {
    const store = await app.data.store();
    await operatorFork(app.orm).transactional(async em => {
      await replaceMenuConfiguration(em, store, { input: smallMenu() });
      // In another session, while the replacement is not yet committed.
      await app.data.orders(store, 1);
    });
    expect(await sql('select count(*)::int as n from orders where store_id = ?', [store.id])).toEqual([{ n: 1 }]);
  });

  test('rejects a small body that expands to a huge tree', async () => {
    const store = await app.data.store();
    const name = { translations: { en: 'x' } };
    const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const base = { name, type: 'T', groupMin: 0, groupMax: 1, chargeAfter: 0 };
    const input = {
      menus: ids('m', 10).map(externalId => ({ externalId, availability: [], categoryExternalIds: ids('c', 10) })),
      categories: ids('c', 10).map(externalId => ({ externalId, name, itemExternalIds: ids('i', 100) })),
      items: ids('i', 100).map(externalId => ({
        externalId,
        name,
        price: 1,
        tax: 0,
        sellSeparately: true,
        modifierGroupExternalIds: ids('g', 10),
      })),
      modifierGroups: ids('g', 10).map(externalId => ({ ...base, externalId, modifierItemExternalIds: ids('x', 10) })),
      modifierItems: ids('x', 10).map(externalId => ({
        externalId,
        name,
        priceChange: 0,
        taxChange: 0,
        minQuantity: 0,
        maxQuantity: 1,
        defaultQuantity: 0,
      })),
    };
    const { body } = await replace(store.id, input);
    expect(body.errors[0].extensions.errors).toContainEqual({
      path: ['input'],
      type: 'too_long',
      message: 'The configuration has 1110110 nodes in its tree; at most 500000 are allowed',
    });
  });
});
