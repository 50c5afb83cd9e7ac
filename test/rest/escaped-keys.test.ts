import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KindName } from '../../src/import/kinds.ts';
import { runImport } from '../../src/import/run.ts';
import { StoreEntity } from '../../src/store/entities.ts';
import { sharedApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { poisonFor, type Written, writtenDocument, writtenMap } from '../support/escapes.ts';

const app = await sharedApp();
const runs = Number(process.env.JSON_RUNS ?? 40);

/** Sent first, so that the key cache of `JSON.parse` holds its keys. */
const poisonous = '{"en_x":"P","\\\\u":"x"}';
const escaped = '{"en_x":"Soup","\\u4e2d\\u6587":"\\u6c64"}';
const intact = '{"en_x":"Soup","中文":"汤"}';

const itemWith = (map: string, id = 'soup') =>
  `{"external_id":"${id}","name":{"translations":${map}},"price":1,"tax":0,"sell_separately":true}`;
const bodyWith = (maps: readonly string[]) => `{"items":[${maps.map((map, index) => itemWith(map, `i${index}`))}]}`;

const mutation = `mutation ($input: ReplaceMenuConfigurationInput!) {
  replaceMenuConfiguration(input: $input) { store { items { name { translations } } } }
}`;
const requestWith = (storeId: string, maps: readonly string[]) => {
  const items = maps.map((map, index) => {
    return `{"externalId":"i${index}","name":{"translations":${map}},"price":1,"tax":0,"sellSeparately":true}`;
  });
  return `{"query":${JSON.stringify(mutation)},"variables":{"input":{"storeId":"${storeId}","items":[${items}]}}}`;
};

async function importLines(kind: KindName, lines: readonly string[]): Promise<void> {
  async function* stream() {
    yield Buffer.from(lines.join('\n'));
  }
  const onError = (error: unknown) => expect(error).toBeUndefined();
  await runImport({ em: operatorFork(app.orm), kind, stream: stream(), strict: true, onError, onProgress: () => {} });
}

const orderWith = (id: string, storeId: string, item: string) =>
  `{"created_at":"2026-03-01T12:00:00Z","id":"${id}","store":{"id":"${storeId}"},"customer":{"name":"Ana","phone":"1"},` +
  `"status":"READY","price":1.0,"tax":0,"items":[${item}],"ready_by":"2026-03-01T13:00:00Z","is_read":true,"in_pos":true}`;

const post = (storeId: string, body: string) => app.post(`/v1/stores/${storeId}/menu_configuration/`, body);
const flat = async (storeId: string) => (await app.get(`/v1/stores/${storeId}/menu_configuration/flat`)).text;
const poisonAll = (all: readonly Written[]) => {
  for (const text of all.flatMap(poisonFor)) for (let time = 0; time < 3; time++) JSON.parse(text);
};
const textOf = ({ document }: Written) => JSON.stringify(document);

describe('an escaped key is not read as another store’s key', () => {
  test('of a body of /v1', async () => {
    const [own, other] = [await app.data.store(), await app.data.store()];
    expect((await post(own.id, bodyWith([escaped]))).status).toBe(200);
    expect(await flat(own.id)).toContain(intact);
    for (let time = 0; time < 5; time++) expect((await post(other.id, bodyWith([poisonous]))).status).toBe(200);
    expect((await post(own.id, bodyWith([escaped]))).status).toBe(200);
    expect(await flat(own.id)).toContain(intact);
    expect(await flat(other.id)).toContain(poisonous);
  });

  test('of GraphQL variables', async () => {
    const [own, other] = [await app.data.store(), await app.data.store()];
    const send = (storeId: string, map: string) => app.post('/graphql', requestWith(storeId, [map]));
    expect((await send(own.id, escaped)).text).toContain(intact);
    for (let time = 0; time < 5; time++) expect((await send(other.id, poisonous)).text).toContain(poisonous);
    expect((await send(own.id, escaped)).text).toContain(intact);
  });

  test('of GraphQL variables in a URL', async () => {
    const { id } = await app.data.store();
    const get = (query: string, variables: string) =>
      app.get(`/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables)}`);
    // Nothing else has objects that begin with this key.
    const first = 'onlyHere';
    for (let time = 0; time < 5; time++) {
      await get(`query ($${first}: ID!) { store(id: $${first}) { id } }`, `{"${first}":"P","\\\\u":"x"}`);
    }
    const query = `query ($${first}: ID!, $bc: ID!) { a: store(id: $${first}) { id } store(id: $bc) { id } }`;
    const { body } = await get(query, `{"${first}":"x","\\u0062\\u0063":"${id}"}`);
    expect(body).toEqual({ data: { a: null, store: { id } } });
  });

  test('of an imported document', async () => {
    const names = async (id: string) => (await app.get(`/v1/stores/${id}`)).text;
    const store = (id: string, map: string) => `{"id":"${id}","name":{"translations":${map}}}`;
    await importLines('stores', [store('own', escaped)]);
    expect(await names('own')).toContain(intact);
    await importLines(
      'stores',
      Array.from({ length: 5 }, (_, at) => store(`other${at}`, poisonous)),
    );
    await importLines('stores', [store('own', escaped)]);
    expect(await names('own')).toContain(intact);
    expect(await names('other0')).toContain(poisonous);
  });
});

describe('any key is returned as it was sent, whatever was parsed before', { timeout: 180_000 }, () => {
  test('by POST of a menu configuration', async () => {
    const { id } = await app.data.store();
    await fc.assert(
      fc.asyncProperty(fc.array(writtenMap, { minLength: 1, maxLength: 20 }), async all => {
        poisonAll(all);
        expect((await post(id, bodyWith(all.map(({ text }) => text)))).status).toBe(200);
        const text = await flat(id);
        for (const one of all) expect(text).toContain(`"translations":${textOf(one)}`);
      }),
      { numRuns: runs },
    );
  });

  test('by a mutation', async () => {
    const { id } = await app.data.store();
    await fc.assert(
      fc.asyncProperty(fc.array(writtenMap, { minLength: 1, maxLength: 20 }), async all => {
        poisonAll(all);
        const { text } = await app.post(
          '/graphql',
          requestWith(
            id,
            all.map(({ text }) => text),
          ),
        );
        for (const one of all) expect(text).toContain(`"translations":${textOf(one)}`);
      }),
      { numRuns: runs },
    );
  });

  test('by an import of orders', async () => {
    const { id } = await app.data.store();
    await fc.assert(
      fc.asyncProperty(fc.array(writtenDocument, { minLength: 1, maxLength: 20 }), async all => {
        poisonAll(all);
        await importLines(
          'orders',
          all.map(({ text }, index) => orderWith(`o${index}`, id, text)),
        );
        poisonAll(all);
        for (const [index, one] of all.entries()) {
          expect((await app.get(`/v1/orders/o${index}`)).text).toContain(`"items":[${textOf(one)}]`);
        }
      }),
      { numRuns: runs / 4 },
    );
  });
});

describe('numbers of order items', () => {
  const item = '{"a":12345678901234567890,"b":1.50,"c":[-0,1e2,{"d\\"":0.10}],"e":2}';

  test('are returned digit for digit', async () => {
    const { id } = await app.data.store();
    await importLines('orders', [orderWith('digits', id, item)]);
    expect((await app.get('/v1/orders/digits')).text).toContain(`"items":[${item}]`);
    expect((await app.get(`/v1/stores/${id}/orders/`)).text).toContain(`"items":[${item}]`);
    const { text } = await app.graphql(
      `{ order(id: "digits") { price { amount } items store { orders { nodes { items } } } } }`,
    );
    expect(text.split(`"items":[${item}]`)).toHaveLength(3);
    expect(text).toContain('"price":{"amount":1},');
  });
});

test('a store that the ORM loads and saves keeps its numbers', async () => {
  await importLines('stores', ['{"id":"exact","name":{"translations":{},"n":1.50,"m":12345678901234567890}}']);
  await app.newKey({ storeIds: ['exact'] });
  const em = operatorFork(app.orm);
  const store = await em.findOneOrFail(StoreEntity, 'exact');
  store.city = 'Lisboa';
  const { statements } = await app.statements.during(() => em.flush());
  expect(statements.filter(text => text.startsWith('update'))).toHaveLength(1);
  expect((await app.get('/v1/stores/exact')).text).toContain('{"translations":{},"n":1.50,"m":12345678901234567890}');
});
