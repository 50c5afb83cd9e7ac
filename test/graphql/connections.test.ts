import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { order } from '../support/data.ts';
import { saveOrders } from '../support/orders.ts';

const app = await sharedApp();

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: {
    readonly hasPreviousPage: boolean;
    readonly hasNextPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const selection = 'edges { cursor node { id } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }';
const args = 'first: $first, after: $after, last: $last, before: $before';
const query = (field: string) => {
  const id = field.includes('$id') ? '$id: ID!, ' : '';
  return `query (${id}$first: Int, $after: String, $last: Int, $before: String) { ${field.replace('…', args)} }`;
};

/** The connections of the graph, and where each is in a response. */
const lists = {
  stores: query(`stores(…) { ${selection} }`),
  merchants: query(`merchants(…) { ${selection} }`),
  'stores of a merchant': query(`merchant(id: $id) { stores(…) { ${selection} } }`),
  'orders of a store': query(`store(id: $id) { orders(…) { ${selection} } }`),
};

async function read(list: keyof typeof lists, variables: object, key = app.key): Promise<Connection> {
  const { body } = await app.graphql(lists[list], { ...variables }, { 'x-api-key': key });
  expect(body.errors).toBeUndefined();
  const { stores, merchants, merchant, store } = body.data;
  return stores ?? merchants ?? merchant?.stores ?? store?.orders;
}

const idsOf = ({ edges }: Connection) => edges.map(({ node }) => node.id);

interface Walk {
  readonly size?: number;
  readonly key?: string;
  readonly beforeEach?: () => Promise<unknown>;
}

/** Returns the ids of all pages, from the first to the last. */
async function walkForward(list: keyof typeof lists, id: string, { size = 2, key, beforeEach }: Walk = {}) {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page: Connection = await read(list, { id, first: size, after }, key);
    ids.push(...idsOf(page));
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    expect(page.pageInfo.startCursor).toBe(page.edges[0]?.cursor);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    await beforeEach?.();
  } while (after !== null);
  return ids;
}

/** The same in the other direction; the order of the ids is that of the list. */
async function walkBackward(list: keyof typeof lists, id: string, { size = 2, key, beforeEach }: Walk = {}) {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const page: Connection = await read(list, { id, last: size, before }, key);
    ids.unshift(...idsOf(page));
    expect(page.pageInfo.hasNextPage).toBe(before !== null);
    expect(page.pageInfo.endCursor).toBe(page.edges.at(-1)?.cursor);
    before = page.pageInfo.hasPreviousPage ? page.pageInfo.startCursor : null;
    await beforeEach?.();
  } while (before !== null);
  return ids;
}

describe('Pages by cursor', async () => {
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));
  const merchants = [];
  for (const number of [3, 1, 2]) merchants.push(await app.data.merchant({ id: `m${number}`, createdAt: day(number) }));
  // Some are of the same time; PostgreSQL compares ids by byte, in which the last one is not where UTF-16 has it.
  const names = ['s2 of day 1', 's1 of day 1', 's3 of day 2', 's0 of day 3', '\u{1f355} of day 3', '\uff5e of day 3'];
  for (const id of names) await app.data.store({ id, merchant: 'm1', createdAt: day(Number(id.at(-1))) });
  const key = await app.newKey({ merchantIds: ['m1', 'm2', 'm3'] });
  const oldestFirst = [
    's1 of day 1',
    's2 of day 1',
    's3 of day 2',
    's0 of day 3',
    '\uff5e of day 3',
    '\u{1f355} of day 3',
  ];

  test.each([
    ['stores', oldestFirst],
    ['stores of a merchant', oldestFirst],
    ['merchants', ['m1', 'm2', 'm3']],
  ] as const)('of %s are consecutive, in both directions', async (list, expected) => {
    for (const size of [1, 2, 3, 6, 7]) {
      expect(await walkForward(list, 'm1', { size, key })).toEqual(expected);
      expect(await walkBackward(list, 'm1', { size, key })).toEqual(expected);
    }
  });

  test.each(['stores', 'stores of a merchant'] as const)('of %s can be between two cursors', async list => {
    const { edges } = await read(list, { id: 'm1', first: 6 }, key);
    const [after, before] = [edges[0]?.cursor, edges[4]?.cursor];
    const page = await read(list, { id: 'm1', first: 2, after, before }, key);
    expect(idsOf(page)).toEqual(oldestFirst.slice(1, 3));
    expect(idsOf(await read(list, { id: 'm1', last: 2, after, before }, key))).toEqual(oldestFirst.slice(2, 4));
    // Without a size, it is the page before the cursor.
    expect(idsOf(await read(list, { id: 'm1', before }, key))).toEqual(oldestFirst.slice(0, 4));
    const whole = await read(list, { id: 'm1', first: 9, after, before }, key);
    expect(whole.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
    expect(idsOf(await read(list, { id: 'm1', after: before, before: after }, key))).toEqual([]);
  });

  test('have every order once while others are placed, in both directions', async () => {
    const { id } = await app.data.store();
    const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
    // Two orders a minute.
    const orders = Array.from({ length: 40 }, (_, index) => order(id, { createdAt: at(Math.floor(index / 2)) }));
    await saveOrders(app.orm, orders);
    const existing = idsOf(await read('orders of a store', { id, first: 500 }));
    expect(existing).toHaveLength(40);
    let placed = 0;
    // One that is newer than all others, and one at any minute.
    const beforeEach = () => {
      placed += 1;
      return saveOrders(app.orm, [
        order(id, { createdAt: at(100 + placed) }),
        order(id, { createdAt: at((placed * 7) % 20) }),
      ]);
    };
    for (const walk of [walkForward, walkBackward]) {
      const ids = await walk('orders of a store', id, { size: 3, beforeEach });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter(each => existing.includes(each))).toEqual(existing);
    }
  });

  test('nodes, edges and pageInfo are read in one statement, and the count only if selected', async () => {
    const { id } = await app.data.store();
    await saveOrders(app.orm, [order(id)]);
    const counts = async (fields: string) => {
      const { statements } = await app.statements.during(() => app.graphql(`{ ${fields} }`));
      return statements.filter(text => !text.includes('api_key')).length;
    };
    const page = `nodes { id } ${selection}`;
    expect(await counts(`stores(first: 1) { ${page} }`)).toBe(1);
    expect(await counts(`stores(last: 1) { ${page} totalCount }`)).toBe(2);
    expect(await counts('merchants { totalCount }')).toBe(1);
    // The store, then its orders.
    expect(await counts(`store(id: "${id}") { orders(last: 1) { ${page} totalCount } }`)).toBe(2);
  });

  test('count everything in the scope of the key', async () => {
    const { body } = await app.graphql(
      '{ stores(first: 1) { totalCount } merchants(first: 0) { totalCount } merchant(id: "m1") { stores(last: 1) { totalCount } } }',
      {},
      { 'x-api-key': key },
    );
    expect(body.data).toEqual({
      stores: { totalCount: 6 },
      merchants: { totalCount: 3 },
      merchant: { stores: { totalCount: 6 } },
    });
  });
});

describe('A cursor', () => {
  test('of another store or key leads to nothing outside the scope', async () => {
    const [mine, other] = [await app.data.store(), await app.data.store()];
    await app.data.orders(mine, 2);
    await app.data.orders(other, 2);
    const headers = await app.newKey({ storeIds: [mine.id] });
    const ofOther = await read('orders of a store', { id: other.id, first: 1 });
    for (const variables of [
      { first: 9, after: ofOther.pageInfo.endCursor },
      { last: 9, before: ofOther.pageInfo.endCursor },
    ]) {
      const found = idsOf(await read('orders of a store', { id: mine.id, ...variables }, headers));
      const all = idsOf(await read('orders of a store', { id: mine.id }, headers));
      expect(all).toEqual(expect.arrayContaining(found));
    }
    const all = await read('stores', { first: 1000 });
    for (const { cursor } of all.edges) {
      const found = [
        ...idsOf(await read('stores', { first: 9, after: cursor }, headers)),
        ...idsOf(await read('stores', { last: 9, before: cursor }, headers)),
      ];
      expect([mine.id, mine.id].slice(0, found.length)).toEqual(found);
    }
  });

  test('of another list, and arguments that exclude each other, are reported at once', async () => {
    const { edges } = await read('merchants', { first: 1 });
    const cursor = edges[0]?.cursor;
    const { body } = await app.graphql(
      'query ($after: String) { stores(first: 1001, after: $after, last: 1) { totalCount } }',
      { after: cursor },
    );
    expect(body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [
        { path: ['first'], type: 'less_than_equal', message: '1001 is too large; it must be at most 1000' },
        { path: ['after'], type: 'value_error', message: `"${cursor}" is not a cursor of this list` },
        { path: ['last'], type: 'value_error', message: 'cannot be combined with first' },
      ],
    });
  });
});

test('a search finds stores and merchants by every word, in scope, on pages like those of the whole list', async () => {
  const merchant = await app.data.merchant({ brandName: 'Óasis do Pão' });
  const name = { translations: { pt: 'Padaria da Graça', ar: 'واحة' } };
  const [first, second] = [
    await app.data.store({ id: 'graca-1', merchant: merchant.id, name, city: 'Lisboa' }),
    await app.data.store({ id: 'graca-2', merchant: merchant.id, name: { short: 'Graça 2' }, externalId: '100%_safe' }),
  ];
  await app.data.store({ name: { translations: { en: 'Oasis' } } });
  const find = async (search: string, page = 'first: 9', key = app.key) => {
    const document = `query ($search: String!) { stores(search: $search, ${page}) { totalCount nodes { id } pageInfo { endCursor } } }`;
    const { body } = await app.graphql(document, { search }, { 'x-api-key': key });
    const { totalCount, nodes, pageInfo } = body.data.stores;
    return { totalCount, ids: nodes.map(({ id }: { id: string }) => id), endCursor: pageInfo.endCursor };
  };
  const both = [first.id, second.id];
  expect((await find(' GRAÇA   óasis ')).ids).toEqual(both);
  expect((await find('graça lisboa')).ids).toEqual([first.id]);
  expect((await find('واحة')).ids).toEqual([first.id]);
  expect((await find('100%_')).ids).toEqual([second.id]);
  // A key of the name is not a part of it.
  expect((await find('translations')).ids).toEqual([]);
  const page = await find('graça', 'first: 1');
  expect(page).toMatchObject({ totalCount: 2, ids: [first.id] });
  expect((await find('graça', `first: 1, after: "${page.endCursor}"`)).ids).toEqual([second.id]);
  expect((await find('graça', 'last: 1')).ids).toEqual([second.id]);
  expect(await find('graça', 'first: 9', await app.newKey({ storeIds: [second.id] }))).toMatchObject({
    totalCount: 1,
    ids: [second.id],
  });
  const merchants = '{ merchants(search: "do óasis") { totalCount nodes { id } } }';
  expect((await app.graphql(merchants)).body.data.merchants).toEqual({ totalCount: 1, nodes: [{ id: merchant.id }] });
  const { body } = await app.graphql('query ($search: String!) { stores(search: $search) { totalCount } }', {
    search: 'a\0',
  });
  expect(body.errors[0].extensions.errors).toMatchObject([{ path: ['search'] }]);
});

describe('search', () => {
  const searchIn = (list: 'stores' | 'merchants', search: string, headers: Record<string, string> = {}) =>
    app.graphql(
      `query ($search: String) { ${list}(search: $search) { totalCount nodes { id } } }`,
      { search },
      headers,
    );

  test.each(['stores', 'merchants'] as const)('of %s takes 8 different words, and says so', async list => {
    const eight = 'a b c d e f g h';
    expect((await searchIn(list, `${eight} ${eight.toUpperCase()} a a a`)).body.errors).toBeUndefined();
    const { body } = await searchIn(list, `${eight} i j`);
    expect(body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['search'], type: 'too_long', message: 'has 10 words; at most 8 are allowed' }],
    });
  });

  test('is charged in each field that has it', async () => {
    const costOf = async (text: string) =>
      Number((await app.graphql(text, {}, { 'x-carte-cost': 'header' })).headers.get('x-carte-cost'));
    const without = await costOf('{ stores(first: 1) { nodes { id } } }');
    expect(await costOf('{ stores(search: "a", first: 1) { nodes { id } } }')).toBe(without + 5_000);
    expect(await costOf('{ merchants(search: "a", first: 1) { nodes { id } } }')).toBe(without + 1_000);
    const five = Array.from({ length: 5 }, (_, at) => `a${at}: stores(search: "a", first: 1) { nodes { id } }`);
    expect(await costOf(`{ ${five.join(' ')} }`)).toBe(5 * (without + 5_000));
  });

  test('compares only what the key may read', async () => {
    const merchant = await app.data.merchant({ brandName: 'Hidden Brand' });
    const { id } = await app.data.store({ merchant: merchant.id, city: 'Secretville', externalId: 'ext-77' });
    const name = { translations: { en: 'A "quoted" \\ name', pt: 'ÚNICO' } };
    await app.data.store({ id: 'quoted', merchant: merchant.id, name });
    const idsOf = async (search: string, key: string) =>
      (await searchIn('stores', search, { 'x-api-key': key })).body.data.stores.nodes.map(
        (node: { id: string }) => node.id,
      );
    const ofOrders = await app.newKey({ permissions: ['READ_ORDERS'] });
    for (const search of ['secretville', 'secretville hidden', 'hidden brand ext-77']) {
      expect(await idsOf(search, app.key)).toEqual([id]);
      expect(await idsOf(search, ofOrders)).toEqual([]);
    }
    expect(await idsOf('EXT-77', ofOrders)).toEqual([id]);
    for (const search of ['"quoted"', '\\', 'único NAME', 'QUOTED'])
      expect(await idsOf(search, ofOrders)).toEqual(['quoted']);
    for (const search of ['translations', 'quot%', 'q_oted', '\\\\']) expect(await idsOf(search, ofOrders)).toEqual([]);
  });

  test('folds the text of a store once, not for each word', async () => {
    await app.orm.em
      .fork()
      .execute(
        `insert into store (id, name) select 'many-' || n, json_build_object('en', repeat('Ångström ', 50)) from generate_series(1, 1000) n`,
      );
    const measure = async (search: string) => {
      let least = Number.POSITIVE_INFINITY;
      for (let at = 0; at < 5; at++) {
        const begun = performance.now();
        await app.graphql('query ($search: String) { stores(search: $search) { totalCount } }', { search });
        least = Math.min(least, performance.now() - begun);
      }
      return least;
    };
    const one = await measure('xyz');
    expect(await measure('å n g s t r ö m')).toBeLessThan(4 * one);
    await app.orm.em.fork().execute(`delete from store where id like 'many-%'`);
  });
});
