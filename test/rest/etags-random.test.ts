import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Random, seededRandom } from '../../src/demo/random.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { startApp } from '../support/app.ts';
import { createOrderCalls } from '../support/evening.ts';
import { writeSet } from '../support/operations.ts';

/** `RANDOM_ETAGS=2000` for a long run. */
const count = Number(process.env.RANDOM_ETAGS ?? 40);
const timeout = 60_000 + count * 1_000;

/** Positions in the event log are those of all stores, and change without anything that is tested. */
const changing = new Set(['orderEventsCursor', 'events']);
const maxDepth = 4;

/** Fields of an object, at random, and of the objects below it. */
function select(random: Random, type: GraphQLObjectType, depth: number, lists: number): string {
  const isList = ({ type: of }: GraphQLField<unknown, unknown>) => isListType(isNonNullType(of) ? of.ofType : of);
  const fields = Object.values(type.getFields()).filter(field => {
    const isGiven = field.args.every(({ type: of, defaultValue }) => !isNonNullType(of) || defaultValue !== undefined);
    if (!isGiven || changing.has(field.name) || field.deprecationReason != null) return false;
    const named = getNamedType(field.type);
    if (!isObjectType(named)) return named.name !== 'StringMaps';
    return depth > 0 && (lists > 0 || !isList(field));
  });
  const picked = random.shuffle(fields).slice(0, random.between(1, 4));
  const texts = picked.map(field => {
    const named = getNamedType(field.type);
    if (!isObjectType(named)) return field.name;
    return `${field.name} { ${select(random, named, depth - 1, lists - (isList(field) ? 1 : 0))} }`;
  });
  return texts.length > 0 ? texts.join(' ') : '__typename';
}

/** Operations with an `@etag` that need not cover what they select, each with one that selects the same without it. */
function generate(): {
  readonly files: Readonly<Record<string, string>>;
  readonly paths: readonly { readonly path: string; readonly of: string }[];
} {
  const random = seededRandom('etags');
  const types = loadSchema().getTypeMap();
  const files: Record<string, string> = {
    'interface.graphql': 'extend schema @interface(title: "ETags", description: "Any.", tags: [], internal: true)',
  };
  const paths = Array.from({ length: count }, (_, index) => {
    const of = random.chance(0.3) ? 'order' : 'store';
    const type = types[of === 'order' ? 'Order' : 'Store'];
    if (!isObjectType(type)) throw new Error(`There is no type for ${of}`);
    const etag = of === 'order' ? 'revision' : random.pick(['menuRevision', 'ordersRevision', 'revision']);
    const selection = select(random, type, maxDepth, 3);
    const write = (name: string, marked: string) =>
      `query ${name}($id: ID!) @route(path: "/etags/${name}/{id}") { ${of}(id: $id) { ${marked} ${selection} } }`;
    files[`${index}.graphql`] = `${write(`marked${index}`, `etag: ${etag} @etag`)}\n${write(`plain${index}`, '')}`;
    return { path: `${index}`, of };
  });
  return { files, paths };
}

const { files, paths } = generate();
const app = await startApp({
  operations: [writeSet('etags', files)],
  graphqlLimits: { ...readConfig({}).graphqlLimits, cost: 1e12, objects: 1e9 },
});
const operator = await app.newKey({ permissions: ['ORDERS', 'STOCK', 'MENU', 'ADMIN'] });
const { createStore, place, change, mark, postMenu } = createOrderCalls(app);

test(`${count} random operations with an ETag are never 304 for another body`, { timeout }, async () => {
  const storeId = await createStore();
  const { body: saved } = await app.graphql('query ($id: ID!) { store(id: $id) { merchant { id } } }', { id: storeId });
  const order = await place(storeId, ['1 burger: size/large']);
  const mutate = async (mutation: string, input: object) => {
    const { body } = await app.graphql(mutation, { input }, { 'x-api-key': operator });
    expect(body.errors, mutation).toBeUndefined();
  };
  const saveStore = (more: object) =>
    mutate('mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }', {
      ...{ id: storeId, name: { translations: { en: 'Baixa' } }, timezone: 'Europe/Lisbon' },
      ...{ merchant: saved.data.store.merchant, ...more },
    });
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    nothing: async () => {},
    'an order': () => place(storeId, ['2 burger: size/large']),
    'the status of an order': () => change(order.id, 'ACCEPTED'),
    'a mark of an order': () => mark([order.id], { isRead: true }),
    'the menu': () => postMenu(storeId, [], 50),
    stock: () =>
      mutate('mutation ($input: SetStockInput!) { setStock(input: $input) { store { id } } }', {
        ...{ storeId, items: [{ externalId: 'burger', inStock: false }] },
      }),
    'a price': () =>
      mutate('mutation ($input: ChangePricesInput!) { changePrices(input: $input) { store { id } } }', {
        ...{ storeId, items: [{ externalId: 'burger', price: 4711 }] },
      }),
    'the name and the address of the store': () =>
      saveStore({
        name: { translations: { en: 'Chiado' } },
        address: { addressLine1: 'Rua Augusta 1' },
        phone: '+351',
      }),
    'the currency': () => saveStore({ currency: 'JPY' }),
    'the merchant': async () => saveStore({ merchant: { id: (await app.data.merchant({ brandName: 'Azul' })).id } }),
    'how the store takes orders': () =>
      mutate('mutation ($input: SetStoreOrderingInput!) { setStoreOrdering(input: $input) { store { id } } }', {
        ...{ storeId, state: 'PAUSED', reason: 'full' },
      }),
    'special hours': () =>
      mutate('mutation ($input: SetSpecialHoursInput!) { setSpecialHours(input: $input) { store { id } } }', {
        ...{ storeId, hours: [{ date: '2036-12-24', timePeriods: [] }] },
      }),
  };
  const idOf = (of: string) => (of === 'order' ? order.id : storeId);
  const known = new Map<string, { readonly etag: string; readonly body: string }>();
  const counts = { stale: [] as string[], unchanged: 0, changed: 0 };
  for (const [name, run] of [['at first', async () => {}] as const, ...Object.entries(changes)]) {
    await run();
    for (const { path, of } of paths) {
      const before = known.get(path);
      const { text: truth } = await app.get(`/etags/plain${path}/${idOf(of)}`);
      const found = await app.get(`/etags/marked${path}/${idOf(of)}`, before && { 'if-none-match': before.etag });
      const body = found.status === 304 ? before?.body : found.text;
      if (body !== truth) counts.stale.push(`${name}: ${files[`${path}.graphql`]}`);
      if (before) counts[found.status === 304 ? 'unchanged' : 'changed']++;
      known.set(path, { etag: String(found.headers.get('etag')), body: truth });
      if (name === 'nothing') expect(found.status, files[`${path}.graphql`]).toBe(304);
    }
  }
  expect(counts.stale).toEqual([]);
  // The test would see nothing if either did not occur.
  expect(Math.min(counts.unchanged, counts.changed)).toBeGreaterThan(count);
});
