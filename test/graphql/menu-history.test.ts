import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { defaultMenuLimits } from '../../src/limits.ts';
import { findConfigurationsAt, type RevisionRequest } from '../../src/menu/history/configurations-at.ts';
import { pruneHistory } from '../../src/menu/history/repository.ts';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';
import type { Permission } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const historyLimits = { revisions: 8, days: 365, bytes: 1024 * 1024 };
const app = await startApp({ historyLimits, menuLimits: { ...defaultMenuLimits, entities: 50 } });
const { query } = await createReadAccess(app.orm);
const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute(text, values);

async function graph(text: string, variables: object = {}, key = app.key) {
  const { body } = await app.graphql(text, variables, { 'x-api-key': key });
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** The first error of a request, as `code path: message`. */
async function errorOf(text: string, variables: object) {
  const { body } = await app.graphql(text, variables);
  const [{ extensions, message }] = body.errors;
  return `${extensions.code} ${message}`;
}

const replacement =
  'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';
const restoration = `mutation ($id: ID!, $revision: SafeInt!, $expected: SafeInt) {
  restoreMenuConfiguration(input: { storeId: $id, revision: $revision, expectedMenuRevision: $expected }) {
    store { menuRevision items { externalId price { amount } } }
  }
}`;
const stockMutation =
  'mutation ($id: ID!) { setStock(input: { storeId: $id, items: [{ externalId: "item", inStock: false }] }) { store { menuRevision } } }';

async function replace(storeId: string, input: ConfigurationInput, key = app.key): Promise<number> {
  return (await graph(replacement, { input: { storeId, ...input } }, key)).replaceMenuConfiguration.store.menuRevision;
}

interface Entry {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly summary: string;
}

async function historyOf(id: string): Promise<Entry[]> {
  const data = await graph(
    'query ($id: ID!) { store(id: $id) { menuHistory { nodes { id revision createdAt source keyName summary } } } }',
    { id },
  );
  return data.store.menuHistory.nodes;
}

/** A menu whose only item has this price. */
function priced(price: number, text = 'Lunch'): ConfigurationInput {
  const menu = smallMenu(text);
  return { ...menu, items: menu.items.map(item => ({ ...item, price })) };
}

/** Every field of a configuration but ids, which are compared apart. */
const fields = `
  menus { externalId name { translations } availability { dayOfWeek timePeriods { startTime endTime } } categories { externalId } }
  categories { externalId name { translations } description { translations } items { externalId } menus { externalId } }
  items { externalId name { translations } price { amount } tax { amount } inStock sellSeparately description { translations } ingredients
    allergensText dietaryLabels preparationMinutes alcoholByVolume preparationType modifierGroups { externalId } categories { externalId } usedAsModifierItems { externalId } }
  modifierGroups { externalId type name { translations } groupMin groupMax chargeAfter modifierItems { externalId } usedByItems { externalId } }
  modifierItems { externalId name { translations } priceChange { amount } inStock item { externalId price { amount } } modifierGroups { externalId } }
  item(externalId: "item") { price { amount } } modifierItem(externalId: "none") { externalId }`;

describe('Store.menuHistory', () => {
  test('has every change with its time, source, key and numbers, newest first', async () => {
    const { id } = await app.data.store();
    const startedAt = Date.now();
    const pos = await app.newKey({ name: 'POS at the bar', storeIds: [id] });
    const menuPath = `/v1/stores/${id}/menu_configuration/`;
    const body = {
      items: [{ external_id: 'item', name: { translations: {} }, price: 1, tax: 0, sell_separately: true }],
    };
    await app.post(menuPath, body, { 'x-api-key': pos });
    // The same again changes nothing.
    await app.post(menuPath, body, { 'x-api-key': pos });
    const first = (await historyOf(id))[0]?.revision;
    await replace(id, smallMenu(), await app.newKey({ name: 'office' }));
    await graph(stockMutation, { id }, pos);
    await graph(restoration, { id, revision: first });
    await sql("update menu_item set prep_type = 'GRILL' where store_id = ?", [id]);
    const two = {
      items: ['side', 'item'].map(externalId => ({
        ...smallMenu().items[0],
        externalId,
        modifierGroupExternalIds: [],
      })),
    };
    await replace(id, two as ConfigurationInput);
    await replace(id, { items: two.items.toReversed() } as ConfigurationInput);
    const history = await historyOf(id);
    expect(history.map(({ id: _id, revision: _revision, createdAt: _createdAt, ...entry }) => entry)).toEqual([
      { source: 'MUTATION', keyName: 'test', summary: 'only the order of entities changed' },
      { source: 'MUTATION', keyName: 'test', summary: '1 item added, 1 item changed' },
      { source: 'SQL', keyName: null, summary: '1 item changed' },
      {
        source: 'RESTORE',
        keyName: 'test',
        summary:
          '1 menu removed, 1 category removed, 1 item changed, 1 modifier group removed, 1 modifier item removed',
      },
      { source: 'STOCK', keyName: 'POS at the bar', summary: '1 item changed' },
      {
        source: 'MUTATION',
        keyName: 'office',
        summary: '1 menu added, 1 category added, 1 item changed, 1 modifier group added, 1 modifier item added',
      },
      { source: 'POST', keyName: 'POS at the bar', summary: '1 item added' },
    ]);
    const namesFor = async (permissions: readonly Permission[]) => {
      const key = await app.newKey({ permissions });
      const { store } = await graph(`{ store(id: "${id}") { menuHistory { nodes { keyName } } } }`, {}, key);
      return new Set(store.menuHistory.nodes.map(({ keyName }: { keyName: string | null }) => keyName));
    };
    expect(await namesFor([])).toEqual(new Set([null]));
    expect(await namesFor(['ORDERS', 'STOCK'])).toEqual(new Set([null]));
    expect(await namesFor(['MENU'])).toContain('office');
    expect(await namesFor(['ADMIN'])).toContain('office');
    const times = history.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    // The database runs on this machine; its clock is rounded to milliseconds.
    expect(times.at(-1)).toBeGreaterThanOrEqual(startedAt - 1);
    expect(times[0]).toBeLessThanOrEqual(Date.now() + 1);
    const { store } = await graph(
      'query ($id: ID!) { store(id: $id) { menuRevision menuHistory(first: 2) { nodes { counts { kind added changed removed } } } } }',
      { id },
    );
    expect(store.menuRevision).toBe(history[0]?.revision);
    expect(store.menuHistory.nodes).toEqual([
      { counts: [] },
      { counts: [{ kind: 'ITEM', added: 1, changed: 1, removed: 0 }] },
    ]);
  });

  test('has what each revision changed, and only revisions of some sources, whose previous one may be of another', async () => {
    const { id } = await app.data.store({ country: 'PT' });
    const first = await replace(id, priced(110));
    const { store: stock } = (await graph(stockMutation, { id })).setStock;
    const second = await replace(id, priced(145));
    const read = async (sources: string) => {
      const list = `menuHistory(first: 1, sources: ${sources})`;
      const selection =
        'revision previousRevision menuChanges(first: 1) { totalCount entities { externalId summary } }';
      const text = `{ store(id: "${id}") { ${list} { totalCount pageInfo { hasNextPage } nodes { ${selection} } } } }`;
      return (await graph(text)).store.menuHistory;
    };
    const changes = (summary: string) => ({ totalCount: 1, entities: [{ externalId: 'item', summary }] });
    expect(await read('[MUTATION]')).toEqual({
      ...{ totalCount: 2, pageInfo: { hasNextPage: true } },
      nodes: [
        {
          ...{ revision: second, previousRevision: stock.menuRevision },
          menuChanges: changes('price €1.10 → €1.45; back in stock'),
        },
      ],
    });
    expect(await read('[STOCK, RESTORE]')).toEqual({
      ...{ totalCount: 1, pageInfo: { hasNextPage: false } },
      nodes: [{ revision: stock.menuRevision, previousRevision: first, menuChanges: changes('sold out') }],
    });
    expect((await read('[]')).totalCount).toBe(3);
    const { store } = await graph(
      `{ store(id: "${id}") { menuHistory(last: 1) { nodes { menuChanges { totalCount } } } } }`,
    );
    expect(store.menuHistory.nodes).toEqual([{ menuChanges: null }]);
  });

  test('has pages in both directions, of many stores in one statement', async () => {
    const stores = [await app.data.store(), await app.data.store(), await app.data.store()];
    for (const store of stores.slice(0, 2)) for (const price of [1, 2, 3, 4]) await app.data.menu(store, priced(price));
    const { merchant } = stores[0] ?? {};
    await sql('update store set merchant_id = ? where id in (?)', [merchant, stores.map(({ id }) => id)]);
    const selection =
      'nodes { revision } edges { cursor node { id } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } totalCount';
    const { result, statements } = await app.statements.during(() =>
      graph(`{ merchant(id: "${merchant}") { stores { nodes { menuHistory(first: 2) { ${selection} } } } } }`),
    );
    expect(statements.filter(text => text.includes('menu_history'))).toHaveLength(2);
    const pages = result.merchant.stores.nodes.map(({ menuHistory }: { menuHistory: unknown }) => menuHistory);
    expect(pages.map(({ totalCount }: { totalCount: number }) => totalCount).sort()).toEqual([0, 4, 4]);
    const ids = pages.flatMap(({ edges }: { edges: { node: { id: string } }[] }) => edges.map(({ node }) => node.id));
    expect(new Set(ids).size).toBe(4);

    const { id } = stores[0] ?? {};
    const revisions = (await historyOf(String(id))).map(({ revision }) => revision);
    const page = async (args: string) => {
      const { store } = await graph(`query ($id: ID!) { store(id: $id) { menuHistory(${args}) { ${selection} } } }`, {
        id,
      });
      const { nodes, pageInfo } = store.menuHistory;
      const numbers = nodes.map(({ revision }: Entry) => revisions.indexOf(revision));
      return { numbers, flags: [pageInfo.hasPreviousPage, pageInfo.hasNextPage], pageInfo };
    };
    const first = await page('first: 2');
    expect(first).toMatchObject({ numbers: [0, 1], flags: [false, true] });
    const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
    expect(second).toMatchObject({ numbers: [2, 3], flags: [true, false] });
    expect(await page(`last: 1, before: "${second.pageInfo.startCursor}"`)).toMatchObject({
      numbers: [1],
      flags: [true, true],
    });
    expect(await page('last: 3')).toMatchObject({ numbers: [1, 2, 3], flags: [true, false] });
    expect(await page(`first: 2, after: "${second.pageInfo.endCursor}"`)).toMatchObject({
      numbers: [],
      flags: [true, false],
    });
    const wrong = 'query ($id: ID!) { store(id: $id) { menuHistory(first: 1001, after: "x") { totalCount } } }';
    expect(await errorOf(wrong, { id })).toBe(
      'BAD_USER_INPUT first: 1001 is too large; it must be at most 1000 (and 1 more)',
    );
  });

  test('has nothing of a transaction that is rolled back, and one revision of all its statements', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    const before = await historyOf(store.id);
    await app.graphql(
      'mutation ($id: ID!) { setStock(input: { storeId: $id, items: [{ externalId: "item", inStock: false }, { externalId: "none", inStock: false }] }) { store { menuRevision } } }',
      { id: store.id },
    );
    const changeTwice = (fails: boolean) =>
      app.orm.em.fork().transactional(async tx => {
        await tx.execute('update menu_item set price = 1 where store_id = ?', [store.id]);
        await tx.execute('update modifier_item set price_change = 2 where store_id = ?', [store.id]);
        if (fails) throw new Error('rolled back');
      });
    await expect(changeTwice(true)).rejects.toThrow('rolled back');
    expect(await historyOf(store.id)).toEqual(before);
    await changeTwice(false);
    expect((await historyOf(store.id)).map(({ summary }) => summary)).toEqual([
      '1 item changed, 1 modifier item changed',
      before[0]?.summary,
    ]);
    // Values that stay the same are no change.
    await sql('update menu_item set price = 1 where store_id = ?', [store.id]);
    expect(await historyOf(store.id)).toHaveLength(2);
  });

  test('rejects a cursor that is truncated, of another store or of another list', async () => {
    const [store, other] = [await app.data.store(), await app.data.store()];
    for (const price of [1, 2, 3]) await replace(store.id, priced(price));
    await replace(other.id, priced(1));
    const page =
      'query ($id: ID!, $after: String) { store(id: $id) { menuHistory(after: $after) { edges { cursor } } } }';
    const cursorsOf = async (id: string): Promise<string[]> => {
      const { edges } = (await graph(page, { id })).store.menuHistory;
      return edges.map(({ cursor }: { cursor: string }) => cursor);
    };
    const [cursor = ''] = await cursorsOf(store.id);
    const [foreign = ''] = await cursorsOf(other.id);
    expect((await graph(page, { id: store.id, after: cursor })).store.menuHistory.edges).toHaveLength(2);
    const { stores } = await graph('{ stores(first: 1) { edges { cursor } } }');
    const truncated = Array.from({ length: cursor.length - 1 }, (_, index) => cursor.slice(0, index + 1));
    for (const after of [...truncated, foreign, stores.edges[0].cursor]) {
      expect(await errorOf(page, { id: store.id, after })).toMatch(/^BAD_USER_INPUT after: .*is not a cursor of /);
    }
  });

  test('ends with the store: one with the same id begins anew', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    const [{ revision } = { revision: 0 }] = await historyOf(store.id);
    await sql('delete from store where id = ?', [store.id]);
    await app.data.store({ id: store.id, merchant: store.merchant ?? null });
    expect(await historyOf(store.id)).toEqual([]);
    await app.data.menu(store);
    expect(await historyOf(store.id)).toHaveLength(1);
    expect(await errorOf(restoration, { id: store.id, revision })).toContain(`this menu has no revision ${revision};`);
  });
});

test('truncated tables are recorded as deleted, and with the stores their history', async () => {
  const store = await app.data.store();
  await app.data.menu(store);
  const truncate = (tables: string) =>
    app.orm.em.fork().transactional(async tx => {
      await tx.execute(`truncate ${tables}`);
      const entries = await tx.execute('select kind, removed from menu_history where store_id = ? order by id', [
        store.id,
      ]);
      throw new Error(JSON.stringify(entries.slice(5)));
    });
  await expect(truncate('modifier_item, menu')).rejects.toThrow(
    '[{"kind":"modifier_item","removed":1},{"kind":"menu","removed":1}]',
  );
  await expect(truncate('store cascade')).rejects.toThrow('[]');
});

describe('Store.menuConfigurationAt', () => {
  test('returns what the store returned at that revision, whatever was changed since', async () => {
    const store = await app.data.store();
    const menu = smallMenu();
    const [item, ...none] = menu.items;
    if (!item || none.length > 0) throw new Error('The small menu has one item');
    const extra = {
      ...item,
      externalId: 'extra',
      name: { translations: { ja: 'うどん', en: 'Udon', '\u0001"\\': 'x' } },
      allergensText: 'Wheat',
      modifierGroupExternalIds: [],
    };
    const items = [{ ...extra, externalId: 'a' }, item, extra];
    const states: { revision: number; data: unknown }[] = [];
    const record = async () => {
      const { store: data } = await graph(`query ($id: ID!) { store(id: $id) { menuRevision ${fields} } }`, {
        id: store.id,
      });
      const { menuRevision, ...rest } = data;
      states.push({ revision: menuRevision, data: rest });
    };
    for (const input of [
      menu,
      { ...menu, items },
      { ...menu, items: items.toReversed().map((entry, index) => ({ ...entry, price: index })) },
      { items: [] },
      { ...smallMenu('again'), items },
    ]) {
      await replace(store.id, input);
      await record();
    }
    // An operator may change anything by hand, even what identifies a row.
    await sql(
      "update menu_item set external_id = 'b', alcohol_by_volume = 4.5 where store_id = ? and external_id = 'a'",
      [store.id],
    );
    await record();
    await sql('delete from modifier_item where store_id = ?', [store.id]);
    await record();

    const at = states.map(
      ({ revision }, index) => `r${index}: menuConfigurationAt(revision: ${revision}) { revision ${fields} }`,
    );
    const { store: data } = await graph(`query ($id: ID!) { store(id: $id) { ${at.join(' ')} } }`, { id: store.id });
    expect(Object.values(data)).toEqual(
      states.map(({ revision, data: state }) => ({ revision, ...(state as object) })),
    );
    const { result, statements } = await app.statements.during(() =>
      graph(
        'query ($id: ID!) { store(id: $id) { menuHistory { nodes { revision configuration { revision items { price { amount } } } } } } }',
        { id: store.id },
      ),
    );
    expect(result.store.menuHistory.nodes).toHaveLength(states.length);
    // The key, the store, the page, the number of entities, and all configurations together.
    expect(statements).toHaveLength(5);
  });

  test('leads to entities of the same revision only, with ids of their own, and back to the store of today', async () => {
    const store = await app.data.store();
    const revision = await replace(store.id, priced(1));
    const newer = await replace(store.id, priced(2));
    const ids = 'menus { id categories { id items { id modifierGroups { id modifierItems { id } } } } }';
    const { store: data } = await graph(
      `query ($id: ID!, $revision: SafeInt!, $newer: SafeInt!) { store(id: $id) {
        ${ids}
        newer: menuConfigurationAt(revision: $newer) { ${ids} }
        older: menuConfigurationAt(revision: $revision) {
          ${ids} languages diagnostics(severities: [ERROR]) { code } store { id menuRevision }
          item(externalId: "item") { price { amount } store { menuRevision item(externalId: "item") { price { amount } } }
            categories { menus { categories { items {
              price { amount } usedAsModifierItems { item { price { amount } } modifierGroups { usedByItems { price { amount } } } }
            } } } }
          }
        }
      } }`,
      { id: store.id, revision, newer },
    );
    const idsIn = (value: unknown) => [...JSON.stringify(value).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
    const older = idsIn({ menus: data.older.menus });
    expect(older).toHaveLength(5);
    expect(new Set([...idsIn({ menus: data.menus }), ...idsIn(data.newer), ...older]).size).toBe(15);
    expect(data.older).toMatchObject({
      languages: ['en'],
      diagnostics: [],
      store: { id: store.id, menuRevision: newer },
    });
    const { store: today, ...past } = data.older.item;
    expect(today).toEqual({ menuRevision: newer, item: { price: { amount: 2 } } });
    expect([...JSON.stringify(past).matchAll(/"amount":(\d)/g)].map(([, price]) => price)).toEqual([
      '1',
      '1',
      '1',
      '1',
    ]);
  });

  test('reports a revision that the store never had, or no longer has', async () => {
    const [store, other] = [await app.data.store(), await app.data.store()];
    const foreign = await replace(other.id, priced(1));
    const revisions: number[] = [];
    for (let price = 1; price <= 10; price++) revisions.push(await replace(store.id, priced(price)));
    const at =
      'query ($id: ID!, $revision: SafeInt!) { store(id: $id) { menuConfigurationAt(revision: $revision) { revision } } }';
    const [oldest, kept] = [revisions[0], revisions[2]];
    const unknown = (revision: number) =>
      `BAD_USER_INPUT revision: this menu has no revision ${revision}; the current one is ${revisions[9]}`;
    const pruned = (revision?: number) =>
      `BAD_USER_INPUT revision: the history of this menu no longer has revision ${revision}; the oldest is ${kept}`;
    const current = Number(revisions[9]);
    for (const [revision, error] of [
      [oldest, pruned(oldest)],
      // Before the first revision of the store.
      [foreign, unknown(foreign)],
      [Number(oldest) - 1, unknown(Number(oldest) - 1)],
      [current - 1, unknown(current - 1)],
      [current + 1, unknown(current + 1)],
      [Number.MAX_SAFE_INTEGER, unknown(Number.MAX_SAFE_INTEGER)],
      [-1, unknown(-1)],
    ] as const) {
      expect(await errorOf(at, { id: store.id, revision })).toBe(error);
      expect(await errorOf(restoration, { id: store.id, revision })).toBe(error.replace(' ', ' input.'));
    }
    expect(
      (await graph('query ($id: ID!) { store(id: $id) { menuRevision } }', { id: store.id })).store.menuRevision,
    ).toBe(current);
    // The same when those that are no longer kept have been deleted; of the deleted ones the first is remembered, not each of them.
    await pruneHistory(query, store.id, historyLimits);
    for (const [revision, error] of [
      [oldest, pruned(oldest)],
      [Number(oldest) + 1, pruned(Number(oldest) + 1)],
      [Number(oldest) - 1, unknown(Number(oldest) - 1)],
      [-1, unknown(-1)],
    ] as const) {
      expect(await errorOf(at, { id: store.id, revision })).toBe(error);
    }
    // Another store's revision is unknown also where it is within the period.
    expect(await errorOf(restoration, { id: other.id, revision: kept })).toBe(
      `BAD_USER_INPUT input.revision: this menu has no revision ${kept}; the current one is ${foreign}`,
    );
  });
});

test('past menus are read one store at a time', async () => {
  const stores = await Promise.all([app.data.store(), app.data.store(), app.data.store()]);
  const requests: RevisionRequest[] = [];
  for (const { id } of stores) requests.push({ storeId: id, revision: await replace(id, priced(1)) });
  const read: unknown[] = [];
  let running = 0;
  const counted: typeof query = async (text, values) => {
    running += 1;
    expect(running).toBe(1);
    read.push(values[0]);
    try {
      return await query(text, values);
    } finally {
      running -= 1;
    }
  };
  const found = await findConfigurationsAt(counted, app.orm.em, requests, historyLimits);
  expect(found).toEqual(requests.map(request => expect.objectContaining(request)));
  expect(read).toEqual(stores.map(({ id }) => id));
});

describe('restoreMenuConfiguration', () => {
  test('restores the menu byte for byte; entities that exist keep their ids, and items the prep_type that they have', async () => {
    const store = await app.data.store();
    const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
    const [item] = smallMenu().items;
    if (!item) throw new Error('The small menu has one item');
    const gone = {
      ...item,
      externalId: 'gone',
      name: { translations: { z: 'z', a: 'a' } },
      dietaryLabels: ['VEGAN' as const],
      alcoholByVolume: 0.5,
    };
    const menu = smallMenu();
    const categories = menu.categories?.map(category => ({ ...category, itemExternalIds: ['gone', 'item'] })) ?? [];
    await replace(store.id, { ...menu, categories, items: [gone, item] });
    await sql("update menu_item set prep_type = 'GRILL' where store_id = ?", [store.id]);
    const [then, flat] = [await app.get(menuPath), await app.get(`${menuPath}flat`)];
    const [{ revision } = { revision: 0 }] = await historyOf(store.id);

    await replace(store.id, priced(7, 'Dinner'));
    await sql("update menu_item set prep_type = 'OVEN' where store_id = ?", [store.id]);
    const restored = (await graph(restoration, { id: store.id, revision })).restoreMenuConfiguration;
    expect(restored.store.items).toEqual([
      { externalId: 'gone', price: { amount: 950 } },
      { externalId: 'item', price: { amount: 950 } },
    ]);
    const now = await app.get(menuPath);
    const idOf = (text: string) => Number(/"id":(\d+),"external_id":"gone"/.exec(text)?.[1]);
    expect(idOf(now.text)).toBeGreaterThan(idOf(then.text));
    const expected = then.text
      .replaceAll(`"id":${idOf(then.text)},"external_id":"gone"`, `"id":${idOf(now.text)},"external_id":"gone"`)
      // Of the item that was not gone.
      .replace(/("external_id":"item".*?"prep_type":)"GRILL"/, '$1"OVEN"');
    expect(now.text).toBe(expected);
    const withoutIds = (text: string) => text.replaceAll(/"id":\d+,/g, '');
    expect(withoutIds((await app.get(`${menuPath}flat`)).text)).toBe(withoutIds(flat.text));

    // Once more changes nothing, and the replacement that was undone can be restored in turn.
    expect((await graph(restoration, { id: store.id, revision })).restoreMenuConfiguration).toEqual(restored);
    const undone = (await historyOf(store.id))[1]?.revision;
    await graph(restoration, { id: store.id, revision: undone });
    expect((await app.get(menuPath)).text).toContain('Dinner');
  });

  test('changes nothing if another revision is expected, or if the configuration no longer fits the limits', async () => {
    const store = await app.data.store();
    const revision = await replace(store.id, priced(1));
    const current = await replace(store.id, priced(2));
    expect(await errorOf(restoration, { id: store.id, revision, expected: revision })).toBe(
      `CONFLICT The menu configuration is no longer at revision ${revision}.`,
    );
    const restored = await graph(restoration, { id: store.id, revision, expected: current });
    expect(restored.restoreMenuConfiguration.store.menuRevision).toBeGreaterThan(current);
    // By hand, since a replacement would be rejected.
    await sql(
      `insert into category (store_id, external_id, position, name, item_external_ids)
       select ?, 'c' || n, n, '{"translations": {}}', '{}' from generate_series(1, 50) n`,
      [store.id],
    );
    const [{ revision: large } = { revision: 0 }] = await historyOf(store.id);
    await replace(store.id, priced(3));
    const before = await historyOf(store.id);
    expect(await errorOf(restoration, { id: store.id, revision: large })).toBe(
      `BAD_USER_INPUT input.revision: revision ${large} can no longer be restored: The configuration has 55 entities; at most 50 are allowed`,
    );
    expect(await historyOf(store.id)).toEqual(before);
  });
});

test('the operations of docs/menu-history.md are valid', async () => {
  const store = await app.data.store();
  const revision = await replace(store.id, priced(1));
  const text = readFileSync(new URL('../../docs/menu-history.md', import.meta.url), 'utf8');
  const operations = [...text.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, operation = '']) => operation);
  expect(operations.length).toBeGreaterThan(2);
  for (const operation of operations)
    await graph(operation, { store: store.id, item: 'item', revision, from: revision });
});

describe('pruning', () => {
  const revisionsStored = async (id: string) => {
    const [row] = await sql('select count(distinct revision)::int as count from menu_history where store_id = ?', [id]);
    return row?.count;
  };

  test('keeps the newest revisions, each complete, while others write', async () => {
    const store = await app.data.store();
    const prices = new Map<number, number>();
    await Promise.all(
      Array.from({ length: 30 }, async (_, price) => {
        prices.set(await replace(store.id, priced(price + 1)), price + 1);
        await pruneHistory(query, store.id, historyLimits);
      }),
    );
    const selection = 'totalCount nodes { revision configuration { items { price { amount } } } }';
    const { store: data } = await graph(`query ($id: ID!) { store(id: $id) { menuHistory { ${selection} } } }`, {
      id: store.id,
    });
    const newest = [...prices].sort(([a], [b]) => b - a).slice(0, 8);
    expect(data.menuHistory).toEqual({
      totalCount: 8,
      nodes: newest.map(([revision, price]) => ({
        revision,
        configuration: { items: [{ price: { amount: price } }] },
      })),
    });
    expect(await revisionsStored(store.id)).toBe(8);
    await pruneHistory(query, store.id, { ...historyLimits, bytes: 0 });
    expect(await revisionsStored(store.id)).toBe(1);
  });

  test('keeps what was the menu in the period, also if it was posted long before', async () => {
    const store = await app.data.store();
    for (const price of [1, 2, 3]) await app.data.menu(store, priced(price));
    // Each a year earlier than it was: the second was replaced yesterday.
    await sql(
      `update menu_history set revision = revision - 400 * 86400000000
       where store_id = ? and revision < (select menu_revision from store where id = ?)`,
      [store.id, store.id],
    );
    expect(await historyOf(store.id)).toHaveLength(2);
    await pruneHistory(query, store.id, historyLimits);
    const [, previous] = await historyOf(store.id);
    await graph(restoration, { id: store.id, revision: previous?.revision });
    const { store: data } = await graph(
      'query ($id: ID!) { store(id: $id) { items { price { amount } } menuHistory { totalCount } } }',
      { id: store.id },
    );
    expect(data).toEqual({ items: [{ price: { amount: 2 } }], menuHistory: { totalCount: 3 } });
  });
});
