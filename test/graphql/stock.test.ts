import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();

interface Entry {
  readonly externalId: string;
  readonly inStock: boolean;
}

interface Changes {
  readonly items?: readonly Entry[];
  readonly modifierItems?: readonly Entry[];
}

const mutation = `mutation ($id: ID!, $items: [StockInput!], $modifierItems: [StockInput!]) {
  setStock(input: { storeId: $id, items: $items, modifierItems: $modifierItems }) { store { menuRevision } }
}`;
const itemSoldOut: Changes = { items: [{ externalId: 'item', inStock: false }] };
const allSoldOut: Changes = { ...itemSoldOut, modifierItems: [{ externalId: 'modifier', inStock: false }] };

const setStock = (id: string, changes: Changes, key = app.key) =>
  app.graphql(mutation, { id, ...changes }, { 'x-api-key': key });
const revisionAfter = async (...args: Parameters<typeof setStock>): Promise<number> =>
  (await setStock(...args)).body.data.setStock.store.menuRevision;

async function createStore() {
  const store = await app.data.store();
  await app.data.menu(store);
  return { ...store, menuPath: `/v1/stores/${store.id}/menu_configuration/` };
}

async function stockByRest(menuPath: string) {
  const { body } = await app.get(`${menuPath}flat`);
  return { item: body.items[0].in_stock, modifier: body.modifier_items[0].in_stock };
}

const stockQuery = `query ($id: ID!) {
  store(id: $id) { menuRevision items { inStock } modifierItems { inStock } menuDiagnostics { code } }
}`;
const etagOf = ({ headers }: { readonly headers: Headers }) => headers.get('etag') ?? '';

describe('setStock', () => {
  test('is seen at once in REST and GraphQL, in the ETag and the diagnostics', async () => {
    const { id, menuPath } = await createStore();
    const before = await app.get(menuPath);
    expect((await app.graphql(stockQuery, { id })).body.data.store.items).toEqual([{ inStock: true }]);

    const revision = await revisionAfter(id, itemSoldOut);
    const after = await app.get(menuPath, { 'if-none-match': etagOf(before) });
    expect(after.status).toBe(200);
    const [item] = after.body.menu_configuration[0].categories[0].items;
    expect([item.in_stock, item.modifier_groups[0].modifier_items[0].in_stock]).toEqual([false, true]);
    expect((await app.get(menuPath, { 'if-none-match': etagOf(after) })).status).toBe(304);
    const { store } = (await app.graphql(stockQuery, { id })).body.data;
    expect(store).toMatchObject({ menuRevision: revision, items: [{ inStock: false }] });
    expect(store.menuDiagnostics).toContainEqual({ code: 'STOCK_MISMATCH' });

    await setStock(id, {
      items: [{ externalId: 'item', inStock: true }],
      modifierItems: allSoldOut.modifierItems ?? [],
    });
    expect(await stockByRest(menuPath)).toEqual({ item: true, modifier: false });
  });

  test('keeps the revision if nothing changes', async () => {
    const { id, menuPath } = await createStore();
    const revision = await revisionAfter(id, allSoldOut);
    const etag = etagOf(await app.get(menuPath));
    expect(await revisionAfter(id, allSoldOut)).toBe(revision);
    expect((await app.get(menuPath, { 'if-none-match': etag })).status).toBe(304);
  });

  test('holds until a replacement posts another stock, which conflicts with the revision before', async () => {
    const { id, menuPath } = await createStore();
    const { body: flat, headers } = await app.get(`${menuPath}flat`);
    await setStock(id, allSoldOut);
    expect((await app.post(menuPath, flat, { 'if-match': headers.get('etag') ?? '' })).status).toBe(412);
    expect((await app.post(menuPath, flat)).status).toBe(200);
    expect(await stockByRest(menuPath)).toEqual({ item: true, modifier: true });
  });

  test('returns the store as it is after each call, also of several in one request', async () => {
    const { id } = await createStore();
    const selection = 'store { menuRevision items { inStock store { menuRevision } } }';
    const call = (inStock: boolean) =>
      `setStock(input: { storeId: "${id}", items: [{ externalId: "item", inStock: ${inStock} }] })`;
    const { body } = await app.graphql(
      `mutation { a: ${call(false)} { ${selection} } b: ${call(true)} { ${selection} } c: ${call(false)} { store { menuRevision } } }`,
    );
    expect(body.errors).toBeUndefined();
    const { a, b, c } = body.data;
    const [first, second, third] = [a, b, c].map(({ store }) => store.menuRevision);
    expect(a.store.items).toEqual([{ inStock: false, store: { menuRevision: first } }]);
    expect(b.store.items).toEqual([{ inStock: true, store: { menuRevision: second } }]);
    expect(first < second && second < third).toBe(true);
  });

  test('changes nothing if any external id is wrong, and reports every error with its path', async () => {
    const { id, menuPath } = await createStore();
    const { body } = await setStock(id, {
      items: ['item', 'soup', 'item', '', 'a\0b', 'modifier'].map(externalId => ({ externalId, inStock: false })),
      modifierItems: [{ externalId: 'x"y', inStock: false }],
    });
    expect(body.data).toEqual({ setStock: null });
    const { code, errors } = body.errors[0].extensions;
    expect(code).toBe('BAD_USER_INPUT');
    expect(
      errors.map(({ path, message }: { path: string[]; message: string }) => `${path.join('.')}: ${message}`),
    ).toEqual([
      'input.items.4.externalId: Value error, the character U+0000 is not allowed',
      'input.items.2.externalId: external id "item" is already that of the item at index 0',
      'input.items.3.externalId: String should have at least 1 character',
      'input.items.1.externalId: no item has the external id "soup"',
      'input.items.5.externalId: no item has the external id "modifier"',
      'input.modifierItems.0.externalId: no modifier item has the external id "x\\"y"',
    ]);
    expect(await stockByRest(menuPath)).toEqual({ item: true, modifier: true });
  });

  test('rejects a call without entries, and lists longer than any menu', async () => {
    const { id } = await createStore();
    const empty = await setStock(id, {});
    expect(empty.body.errors[0].extensions.errors).toEqual([
      {
        path: ['input', 'items'],
        type: 'missing',
        message: 'At least one item or modifier item is required; both lists are empty',
      },
    ]);
    const items = Array.from({ length: 20_001 }, () => ({ externalId: 'item', inStock: false }));
    const long = await setStock(id, { items });
    expect(long.body.errors[0].extensions.errors).toEqual([
      { path: ['input', 'items'], type: 'too_long', message: 'The list has 20001 entries; at most 20000 are allowed' },
    ]);
  });

  test('requires the permission STOCK and no other, and finds no store out of scope', async () => {
    const { id } = await createStore();
    const menuOnly = await setStock(id, itemSoldOut, await app.newKey({ permissions: ['MENU'] }));
    expect(menuOnly.body.errors[0]).toMatchObject({
      message: 'This API key does not have the permission STOCK; it has MENU.',
      extensions: { code: 'FORBIDDEN' },
    });
    const kitchen = await app.newKey({ storeIds: [id], permissions: ['STOCK'] });
    expect(await revisionAfter(id, itemSoldOut, kitchen)).toBeGreaterThan(0);
    const foreign = await setStock((await createStore()).id, itemSoldOut, kitchen);
    expect(foreign.body).toEqual({ data: { setStock: null } });
    expect((await setStock('no-such-store', itemSoldOut, kitchen)).body).toEqual(foreign.body);
  });

  test('and replacements at the same time have the result of one after the other', async () => {
    const { id, menuPath } = await createStore();
    const replacement =
      'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';
    const inStock = Array.from({ length: 24 }, (_, index) => index % 3 === 0);
    const writes = await Promise.all(
      inStock.flatMap((value, index) => [
        revisionAfter(id, { items: [{ externalId: 'item', inStock: value }] }).then(revision => ({
          revision,
          stock: { item: value },
        })),
        revisionAfter(id, { modifierItems: [{ externalId: 'modifier', inStock: !value }] }).then(revision => ({
          revision,
          stock: { modifier: !value },
        })),
        app.graphql(replacement, { input: { storeId: id, ...smallMenu(`menu ${index}`) } }).then(({ body }) => ({
          revision: body.data.replaceMenuConfiguration.store.menuRevision,
          stock: { item: true, modifier: true },
        })),
      ]),
    );
    // A write that changed nothing has the revision of one before it, so their order does not matter.
    const inOrder = writes.toSorted((a, b) => a.revision - b.revision);
    expect(await stockByRest(menuPath)).toEqual(Object.assign({}, ...inOrder.map(({ stock }) => stock)));
    const { store } = (await app.graphql(stockQuery, { id })).body.data;
    expect(store.menuRevision).toBe(inOrder.at(-1)?.revision);
  });
});
