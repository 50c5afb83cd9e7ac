import { Readable } from 'node:stream';
import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import type { KindName } from '../../src/import/kinds.ts';
import { runImport } from '../../src/import/run.ts';
import { operatorScope } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';

const app = await startApp();
const operator = { 'x-api-key': await app.newKey({ name: 'operator', permissions: ['ADMIN'] }) };

const saveStore = (input: object, selection = 'store { id menuRevision }') =>
  app.graphql(`mutation ($input: SaveStoreInput!) { saveStore(input: $input) { ${selection} } }`, { input }, operator);
const saveMerchant = (input: object, selection = 'merchant { id }') =>
  app.graphql(
    `mutation ($input: SaveMerchantInput!) { saveMerchant(input: $input) { ${selection} } }`,
    { input },
    operator,
  );

const importLine = (kind: KindName, document: object) =>
  runImport({
    em: operatorFork(app.orm),
    kind,
    stream: Readable.from([Buffer.from(JSON.stringify(document))]),
    strict: true,
    onError: error => {
      throw new Error(JSON.stringify(error));
    },
    onProgress: () => {},
  });

const name = (text: string) => ({ translations: { en: text } });

test('a merchant and a store are saved as by `carte import`', async () => {
  const createdAt = '2026-01-02T00:00:00.000Z';
  const { body } = await saveMerchant({ id: 'm', createdAt, brandName: 'Casa', businessType: { name: 'RESTAURANT' } });
  expect(body).toEqual({ data: { saveMerchant: { merchant: { id: 'm' } } } });
  const saved = await saveStore({
    id: 'by-graph',
    name: { translations: { pt: 'Baixa', en: 'Downtown' } },
    createdAt,
    address: { addressLine1: 'Rua Augusta 1', locationName: 'Arcade', country: 'PT' },
    contacts: { chef: { phones: ['+351'] } },
    timezone: 'Europe/Lisbon',
    phoneNumbers: [{ id: 'p', phoneNumber: '+351', createdAt: '2026-01-02' }],
    merchant: { id: 'm' },
    storeType: { content: 'cafe', businessType: { name: 'RESTAURANT' } },
    restaurantConfiguration: { cuisineType: { name: 'PORTUGUESE' } },
  });
  expect(saved.body).toEqual({ data: { saveStore: { store: { id: 'by-graph', menuRevision: 0 } } } });

  await importLine('merchants', {
    ...{ id: 'm', created_at: createdAt, brand_name: 'Casa', business_type: { name: 'RESTAURANT' } },
  });
  await importLine('stores', {
    id: 'by-line',
    name: { translations: { pt: 'Baixa', en: 'Downtown' } },
    created_at: createdAt,
    ...{ address_line_1: 'Rua Augusta 1', location_name: 'Arcade', country: 'PT' },
    contacts: { chef: { phones: ['+351'] } },
    timezone: 'Europe/Lisbon',
    phone_numbers: [{ id: 'p', phone_number: '+351', create_date_time: '2026-01-02' }],
    merchant: { id: 'm' },
    store_type: { content: 'cafe', business_type: { name: 'RESTAURANT' } },
    restaurant_configuration: { cuisine_type: { name: 'PORTUGUESE' } },
  });
  const [byGraph, byLine] = [await app.get('/v1/stores/by-graph'), await app.get('/v1/stores/by-line')];
  expect(byGraph.status).toBe(200);
  expect(byGraph.text.replace('by-graph', 'by-line')).toBe(byLine.text);
});

test('saving replaces all fields but the creation time, and shows at once in every response; the menu stays', async () => {
  const store = await app.data.store({ city: 'Lisboa', externalId: 'x' });
  await app.data.menu(store);
  await app.data.orders(store, 1);
  const paths = [`/v1/stores/${store.id}`, '/v1/stores/', `/v1/stores/${store.id}/orders/`];
  const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
  const query = `{ store(id: "${store.id}") { name { translations } address { city } menuRevision menus { externalId store { name { translations } } } } }`;
  const etagsOf = async () => Promise.all(paths.map(async path => (await app.get(path)).headers.get('etag')));
  const [etags, menu] = [await etagsOf(), await app.get(menuPath)];
  await app.graphql(query);

  const input = { id: store.id, name: name('Chiado'), merchant: { id: store.merchant } };
  const { body } = await saveStore(
    input,
    'store { address { city } createdAt externalId merchant { id } menuRevision }',
  );
  const { menuRevision, ...saved } = body.data.saveStore.store;
  expect(saved).toEqual({
    address: { city: null },
    createdAt: store.createdAt.toISOString(),
    externalId: null,
    merchant: { id: store.merchant },
  });
  expect((await app.graphql(query)).body.data.store).toEqual({
    name: name('Chiado'),
    address: { city: null },
    menuRevision,
    menus: [{ externalId: 'menu', store: { name: name('Chiado') } }],
  });
  const newETags = await etagsOf();
  for (const [index, etag] of newETags.entries()) expect(etag, paths[index]).not.toBe(etags[index]);
  const sameMenu = await app.get(menuPath);
  expect([sameMenu.headers.get('etag'), sameMenu.text]).toEqual([menu.headers.get('etag'), menu.text]);

  await saveStore(input);
  expect(await etagsOf()).toEqual(newETags);
});

test('the merchant of a store shows its new name at once', async () => {
  const store = await app.data.store();
  const etag = (await app.get(`/v1/merchants/${store.merchant}`)).headers.get('etag') ?? '';
  const { body } = await saveMerchant(
    { id: store.merchant, brandName: 'Casa Azul' },
    'merchant { createdAt stores { nodes { merchant { brandName } } } }',
  );
  expect(body.data.saveMerchant.merchant).toEqual({
    createdAt: '2026-01-01T00:00:00.000Z',
    stores: { nodes: [{ merchant: { brandName: 'Casa Azul' } }] },
  });
  const read = await app.get(`/v1/merchants/${store.merchant}`, { 'if-none-match': etag });
  expect([read.status, read.body.brand_name]).toEqual([200, 'Casa Azul']);
});

test('each of several saves in one request shows those before it', async () => {
  const store = (id: string) =>
    `saveStore(input: { id: "${id}", name: { translations: { en: "${id}" } }, merchant: { id: "several" } }) { store { merchant { brandName stores { nodes { id } } } } }`;
  const merchant = (brandName: string) => `saveMerchant(input: { id: "several", brandName: "${brandName}" })`;
  const query = `mutation { ${merchant('A')} { merchant { stores { nodes { id } } } } one: ${store('one')} two: ${store('two')}
    renamed: ${merchant('B')} { merchant { brandName stores { nodes { merchant { brandName } } } } } }`;
  const { body } = await app.graphql(query, {}, operator);
  expect(body.data).toEqual({
    saveMerchant: { merchant: { stores: { nodes: [] } } },
    one: { store: { merchant: { brandName: 'A', stores: { nodes: [{ id: 'one' }] } } } },
    two: { store: { merchant: { brandName: 'A', stores: { nodes: [{ id: 'one' }, { id: 'two' }] } } } },
    renamed: {
      merchant: {
        brandName: 'B',
        stores: { nodes: [{ merchant: { brandName: 'B' } }, { merchant: { brandName: 'B' } }] },
      },
    },
  });
});

test('a store that is moved to another merchant changes the scope it is in', async () => {
  const store = await app.data.store();
  const target = await app.data.merchant();
  const keys = [
    await app.newKey({ merchantIds: [String(store.merchant)] }),
    await app.newKey({ merchantIds: [target.id] }),
  ];
  const statuses = () =>
    Promise.all(keys.map(async key => (await app.get(`/v1/stores/${store.id}`, { 'x-api-key': key })).status));
  expect(await statuses()).toEqual([200, 404]);
  await saveStore({ id: store.id, name: name('moved'), merchant: { id: target.id } });
  expect(await statuses()).toEqual([404, 200]);
});

test('every error is reported with its path, and nothing is saved', async () => {
  const deep = Array.from({ length: 200 }).reduce<object>(inner => ({ inner }), {});
  const { body } = await saveStore({
    id: '',
    name: { translations: { en: 'a\0b', 'c\0': 'd' } },
    contacts: { deep, half: '\ud800' },
    address: { city: 'e\0f' },
    timezone: 'Europe/Lisboa',
    merchant: { id: 'no-such' },
  });
  expect(body.data).toEqual({ saveStore: null });
  const { code, errors } = body.errors[0].extensions;
  expect(code).toBe('BAD_USER_INPUT');
  const paths = errors.map(({ path, message }: { path: string[]; message: string }) => [
    path.slice(0, 4).join('.'),
    message,
  ]);
  expect(paths).toEqual([
    ['input.id', 'String should have at least 1 character'],
    ['input.name.translations.en', 'Value error, the character U+0000 is not allowed'],
    ['input.name.translations.c\0', 'Value error, the character U+0000 is not allowed'],
    ['input.contacts.deep.inner', 'Value error, nested deeper than 100 levels'],
    ['input.contacts.half', 'Value error, a lone surrogate is not a character'],
    ['input.address.city', 'Value error, the character U+0000 is not allowed'],
    ['input.timezone', '"Europe/Lisboa" is not a timezone of IANA. Did you mean "Europe/Lisbon"?'],
    ['input.merchant.id', 'no merchant has the id "no-such"'],
  ]);
  const merchant = await saveMerchant({ id: 'x', brandName: '\0' });
  expect(merchant.body.errors[0].extensions.errors).toEqual([
    { path: ['input', 'brandName'], type: 'value_error', message: 'Value error, the character U+0000 is not allowed' },
  ]);
  const infinite = await app.graphql(
    'mutation { saveStore(input: { id: "x", name: { translations: {} }, contacts: { n: 1e999 } }) { store { id } } }',
    {},
    operator,
  );
  expect(infinite.body.errors[0].message).toBe('input.contacts.n: Input should be a finite number');
  const createdAt = '9999-12-31T23:59:59-12:00';
  const unbounded = await saveMerchant({ id: 'x'.repeat(256), brandName: 'x', createdAt });
  expect(unbounded.body.errors[0].extensions.errors).toMatchObject([
    { path: ['input', 'id'], type: 'string_too_long' },
    { path: ['input', 'createdAt'], message: 'Value error, the year is not 1 to 9999' },
  ]);
});

test('each mutation reports its end, also one that fails, so that its events get into the log at once', async () => {
  let reports = 0;
  const repositories = createRepositories(await createReadAccess(app.orm));
  const contextValue = createContext(
    { orm: app.orm, repositories, feed: { sequence: () => void reports++ } },
    operatorScope,
  );
  const source = `mutation {
    saved: saveMerchant(input: { id: "reported", brandName: "Casa" }) { merchant { id } }
    refused: markOrders(input: { orderIds: [], isRead: true }) { orders { id } }
  }`;
  const { data, errors } = await graphql({ schema: loadSchema(), source, contextValue });
  expect(data).toMatchObject({ saved: { merchant: { id: 'reported' } } });
  expect(errors).toHaveLength(1);
  expect(reports).toBe(2);
});

test.each([
  [
    { translations: { pt: 'Baixa', en: 'Downtown' }, other: 1 },
    { pt: 'Baixa', en: 'Downtown' },
  ],
  [{ pt: 'Baixa' }, { pt: 'Baixa' }],
  [{ translations: { en: 7 } }, {}],
  [{}, {}],
])('the name of a store that was imported as %j has its texts', async (given, translations) => {
  await importLine('stores', { id: 'named', name: given });
  const { body } = await app.graphql('{ store(id: "named") { name { translations text } } }');
  const [text = null] = Object.values(translations);
  expect(body.data.store).toEqual({ name: { translations, text } });
  expect((await app.get('/v1/stores/named')).body.name).toEqual(given);
});

test('a store is saved with its address, of which nothing is left where it is left out', async () => {
  const address = { addressLine1: 'Rua Augusta 1', city: 'Lisboa', country: 'PT' };
  const addressOf = async (given: object) => {
    const selection = 'store { address { addressLine1 locationName city country note } currency }';
    const { body } = await saveStore({ id: 'placed', name: { translations: {} }, ...given }, selection);
    return body.data.saveStore.store;
  };
  const nothing = { addressLine1: null, locationName: null, city: null, country: null, note: null };
  expect(await addressOf({ address })).toEqual({ address: { ...nothing, ...address }, currency: 'EUR' });
  expect(await addressOf({ address: { city: 'Porto' } })).toEqual({
    address: { ...nothing, city: 'Porto' },
    currency: null,
  });
  expect(await addressOf({ address: null })).toEqual({ address: nothing, currency: null });
});
