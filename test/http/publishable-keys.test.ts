import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const { http } = readConfig({ CARTE_CORS_ORIGINS: 'https://office.example' });
const app = await startApp({ http });
const store = await app.data.store({ id: 'baixa', contacts: { owner: 'Rui' } });
await app.data.menu(store);
const page = 'https://menu.example';
const key = await app.newKey({
  name: 'page',
  publishable: true,
  permissions: [],
  origins: [page],
  storeIds: ['baixa'],
});
const other = 'https://other.example';
await app.newKey({ name: 'another page', publishable: true, permissions: [], origins: [other], storeIds: ['baixa'] });

const menuPath = '/v1/stores/baixa/menu_configuration/';
const query = '{ store(id: "baixa") { menuRevision menus { externalId } } }';

/** How a response looks to the page of an origin. */
async function request(origin: string | undefined, apiKey = key, headers: Record<string, string> = {}) {
  const given = { ...(origin !== undefined && { origin }), 'x-api-key': apiKey, ...headers };
  const responses = [await app.get(menuPath, given), await app.graphql(query, {}, given)];
  return responses.map(response => ({
    status: response.status,
    allowed: response.headers.get('access-control-allow-origin'),
    vary: response.headers.get('vary')?.toLowerCase(),
    warning: response.headers.get('x-carte-warning'),
  }));
}

const varying = expect.stringContaining('origin');

describe('The origin of a page', () => {
  test.each([
    ['is one of the key', page, 200, page],
    ['is absent', undefined, 200, null],
    ['is that of the service itself', app.url, 200, app.url],
    ['is that of another key', other, 403, null],
    ['is in CARTE_CORS_ORIGINS', 'https://office.example', 403, null],
    ['is unknown', 'https://evil.example', 403, null],
    ['is that of a file or a sandbox', 'null', 403, null],
    ['has another scheme', 'http://menu.example', 403, null],
    ['has another port', 'https://menu.example:8443', 403, null],
    ['has another end', 'https://menu.example.evil', 403, null],
    ['is in other letters', 'https://MENU.example', 403, null],
  ])('%s: %s', async (_name, origin, status, allowed) => {
    const expected = { status, allowed, vary: varying, warning: null };
    // The second time from the cache.
    for (let time = 0; time < 2; time++) expect(await request(origin)).toEqual([expected, expected]);
  });

  test('is in the Vary of a 304 and of an encoded response, and stays', async () => {
    const etag = (await app.get(menuPath, { 'x-api-key': key, origin: page })).headers.get('etag') ?? '';
    const [notModified] = await request(page, key, { 'if-none-match': etag });
    expect(notModified).toMatchObject({ status: 304, allowed: page, vary: 'origin, x-api-key, accept-encoding' });
    expect((await request(other, key, { 'if-none-match': etag }))[0]).toMatchObject({ status: 403, allowed: null });
  });

  test('is asked for by a preflight, which has no key: that of any valid key, and those of CARTE_CORS_ORIGINS', async () => {
    const preflight = async (origin: string) => {
      const headers = { origin, 'x-api-key': '', 'access-control-request-method': 'POST' };
      const response = await app.send('OPTIONS', '/graphql', { headers });
      return response.headers.get('access-control-allow-origin');
    };
    for (const origin of [page, other, 'https://office.example']) expect(await preflight(origin)).toBe(origin);
    for (const origin of ['null', 'https://evil.example', 'file://']) expect(await preflight(origin)).toBeNull();
    await app.newKey({ name: 'late', publishable: true, permissions: [], origins: ['https://late.example'] });
    expect(await preflight('https://late.example')).toBe('https://late.example');
    await app.orm.em.fork().execute("update api_key set revoked_at = now() where name = 'late'");
    expect(await preflight('https://late.example')).toBeNull();
  });

  test('with a secret key gets a warning, unless CARTE_CORS_ORIGINS or the service has it', async () => {
    const secret = await request(page, app.key);
    expect(secret).toEqual(
      secret.map(() => ({
        status: 200,
        allowed: null,
        vary: varying,
        warning: expect.stringContaining('publishable'),
      })),
    );
    for (const origin of [app.url, undefined, 'https://office.example']) {
      expect((await request(origin, app.key)).map(({ status, warning }) => [status, warning])).toEqual([
        [200, null],
        [200, null],
      ]);
    }
  });
});

describe('A WebSocket', () => {
  /** The acknowledgement, or the code with which it is closed; the status where it is not opened. */
  async function connect(origin: string | undefined, apiKey: string): Promise<unknown> {
    const options = origin === undefined ? {} : { origin };
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', options);
    const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode);
    const opened = once(socket, 'open').then(async () => {
      socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': apiKey } }));
      const acknowledged = once(socket, 'message').then(([data]) => JSON.parse(String(data)).type);
      const closed = once(socket, 'close').then(([code]) => code);
      return Promise.race([acknowledged, closed]);
    });
    opened.catch(() => {});
    socket.on('error', () => {});
    const result = await Promise.race([refused, opened]);
    socket.terminate();
    return result;
  }

  test.each([
    ['page', page, 'connection_ack', 4403],
    ['no page', undefined, 'connection_ack', 'connection_ack'],
    ['page of the service', app.url, 'connection_ack', 'connection_ack'],
    ['page of another key', other, 4403, 4403],
    ['page in CARTE_CORS_ORIGINS', 'https://office.example', 4403, 'connection_ack'],
    ['page of no key', 'https://evil.example', 403, 403],
    ['file', 'null', 403, 403],
  ])('of a %s (%s) is checked when it is initialised', async (_name, origin, publishable, secret) => {
    expect([await connect(origin, key), await connect(origin, app.key)]).toEqual([publishable, secret]);
  });
});

test('A store is read without its contacts, with an ETag of its own', async () => {
  const headers = { 'x-api-key': key };
  const [full, guest] = [await app.get('/v1/stores/baixa'), await app.get('/v1/stores/baixa', headers)];
  const { contacts, ...rest } = full.body;
  expect(contacts).toEqual({ owner: 'Rui' });
  expect(guest.body).toEqual(rest);
  expect(guest.headers.get('etag')).not.toBe(full.headers.get('etag'));
  expect((await app.get('/v1/stores/', headers)).body).toEqual([rest]);
  const etag = full.headers.get('etag') ?? '';
  expect((await app.get('/v1/stores/baixa', { ...headers, 'if-none-match': etag })).status).toBe(200);
});

describe('What no menu lists', async () => {
  const name = { translations: { en: 'Secret' } };
  const item = { name, price: 4711, tax: 42, sellSeparately: true };
  const allDay = [{ startTime: '00:00', endTime: '24:00' }];
  const availability = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
    dayOfWeek,
    timePeriods: allDay,
  }));
  const bar = await app.data.store({ id: 'bar' });
  await app.data.menu(bar, {
    menus: [{ externalId: 'menu', availability, categoryExternalIds: ['listed'] }],
    categories: [
      { externalId: 'listed', name, itemExternalIds: ['soup'] },
      { externalId: 'drafts', name, itemExternalIds: ['draft'] },
    ],
    items: [
      {
        ...item,
        externalId: 'soup',
        price: 500,
        name: { translations: { en: 'Soup' } },
        modifierGroupExternalIds: ['extras'],
      },
      { ...item, externalId: 'draft' },
      { ...item, externalId: 'alone', inStock: false, sellSeparately: false },
    ],
    modifierGroups: [
      {
        externalId: 'extras',
        type: 'x',
        name,
        groupMin: 0,
        groupMax: 1,
        chargeAfter: 0,
        modifierItemExternalIds: ['bread'],
      },
    ],
    modifierItems: [
      { externalId: 'bread', name, priceChange: 50, taxChange: 5, minQuantity: 0, maxQuantity: 1, defaultQuantity: 0 },
    ],
  });
  const guest = { 'x-api-key': await app.newKey({ publishable: true, permissions: [], storeIds: ['bar'] }) };
  const quote = async (lines: string, headers: Record<string, string> = guest) => {
    const selection = `price { amount } total { amount } readyBy problems { path code message } lines {
      itemExternalId totalPrice { amount } name { text } item { price { amount } } modifiers { modifierItem { externalId } } }`;
    const sent = `{ quoteOrder(input: { storeId: "bar", lines: [${lines}] }) { ${selection} } }`;
    return app.graphql(sent, {}, headers);
  };

  test('is unknown to guests in a quote, which has prices and problems of the rest', async () => {
    const modifiers = '[{ modifierGroupExternalId: "extras", modifierItemExternalId: "bread" }]';
    const { body, headers } = await quote(`{ itemExternalId: "soup", quantity: 2, modifiers: ${modifiers} }`, {
      ...guest,
      'x-carte-cost': 'header',
    });
    expect(body.data.quoteOrder).toMatchObject({
      ...{ price: { amount: 1100 }, total: { amount: 1100 }, problems: [], readyBy: expect.any(String) },
      lines: [
        {
          totalPrice: { amount: 1100 },
          item: { price: { amount: 500 } },
          modifiers: [{ modifierItem: { externalId: 'bread' } }],
        },
      ],
    });
    expect(Number(headers.get('x-carte-cost'))).toBeGreaterThan(1000);
    const refused = async (id: string) => (await quote(`{ itemExternalId: "soup" }, { itemExternalId: "${id}" }`)).text;
    const unknown = (await refused('no-such')).replaceAll('no-such', 'X');
    expect(unknown).toContain('"path":["input","lines","1","itemExternalId"]');
    for (const id of ['draft', 'alone']) expect((await refused(id)).replaceAll(id, 'X')).toBe(unknown);
    const known = await quote('{ itemExternalId: "draft" }', {});
    expect(known.body.data.quoteOrder).toMatchObject({
      price: { amount: 4711 },
      problems: [{ code: 'NOT_AVAILABLE' }],
    });
    expect(
      (await app.graphql('{ quoteOrder(input: { storeId: "baixa", lines: [] }) { price { amount } } }', {}, guest))
        .body,
    ).toEqual({
      data: { quoteOrder: null },
    });
  });

  test.each([
    ['after', ['secret', 'guest', 'guest']],
    ['before', ['guest', 'secret', 'guest']],
  ])('is null to guests by its external id, also %s the response is cached for others', async (when, callers) => {
    for (const id of ['soup', 'draft', 'alone', 'no-such']) {
      const sent = `query ${when}($id: String!) { store(id: "bar") { menuRevision item(externalId: $id) { price { amount } } } }`;
      for (const caller of callers) {
        const { store } = (await app.graphql(sent, { id }, caller === 'guest' ? guest : {})).body.data;
        const isKnown = id === 'soup' || (caller === 'secret' && id !== 'no-such');
        expect([id, caller, store.item !== null]).toEqual([id, caller, isKnown]);
      }
    }
  });

  test('is not to be had by other ways', async () => {
    const ways = [
      'store(id: "bar") { items { price { amount } } }',
      'store(id: "bar") { category(externalId: "drafts") { items { price { amount } } } }',
      'store(id: "bar") { item(externalId: "soup") { categories { items { price { amount } } } } }',
      'store(id: "bar") { item(externalId: "soup") { store { items { price { amount } } } } }',
      'store(id: "bar") { menus { categories { items { store { item(externalId: "draft") { price { amount } } } } } } }',
      'store(id: "bar") { a: item(externalId: "soup") { price { amount } } b: item(externalId: "draft") { price { amount } } ...F } } fragment F on Store { item(externalId: "alone") { price { amount } }',
      'store(id: "bar") { item(externalId: "bread") { price { amount } } }',
      'store(id: "bar") { temporarilySoldOut { item { price { amount } } } }',
      'store(id: "bar") { menuDiagnostics { message } }',
      'store(id: "bar") { menuConfigurationAt(revision: 1) { items { price { amount } } } }',
      'quoteOrder(input: { storeId: "bar", lines: [{ itemExternalId: "soup" }] }) { lines { item { categories { items { price { amount } } } } } }',
      'quoteOrder(input: { storeId: "bar", lines: [{ itemExternalId: "soup", modifiers: [{ modifierGroupExternalId: "drafts", modifierItemExternalId: "draft" }] }] }) { lines { totalPrice { amount } } problems { message } }',
      'quoteOrder(input: { storeId: "bar", lines: [{ itemExternalId: "soup" }] }) { lines { item { store { contacts orders { totalCount } } } } }',
      'stores(search: "Secret") { nodes { id } }',
    ];
    for (const way of ways) {
      const { text } = await app.graphql(`{ ${way} }`, {}, guest);
      expect([way, /4711|"drafts"|Secret|"id":"bar"/.test(text.replace(/modifier group .*?drafts/, ''))]).toEqual([
        way,
        false,
      ]);
    }
    for (const path of ['/v1/stores/bar/menu_configuration/flat', '/v1/stores/bar/orders/', '/pos/v1/events'])
      expect((await app.get(path, guest)).status).toBe(403);
    expect((await app.get('/v1/stores/bar/menu_configuration/', guest)).text).not.toContain('4711');
  });
});

describe('A publishable key', () => {
  const admin = { 'x-api-key': '' };
  const create = async (input: string, selection = 'secret apiKey { id publishable origins readPermissions }') => {
    admin['x-api-key'] ||= await app.newKey({ permissions: ['ADMIN'] });
    return app.graphql(`mutation { createApiKey(input: { name: "web", ${input} }) { ${selection} } }`, {}, admin);
  };

  test('is created, shown and rotated as such', async () => {
    const origins = '["https://a.example", "http://localhost:5173", "https://a.example"]';
    const { secret, apiKey } = (await create(`storeIds: ["baixa"], publishable: true, origins: ${origins}`)).body.data
      .createApiKey;
    expect(secret).toMatch(/^carte_pub_[\w-]{43}$/);
    expect(apiKey).toMatchObject({
      publishable: true,
      origins: ['https://a.example', 'http://localhost:5173'],
      readPermissions: ['READ_MENUS'],
    });
    expect((await request('https://a.example', secret))[0]).toMatchObject({
      status: 200,
      allowed: 'https://a.example',
    });
    const rotated = await app.graphql(
      `mutation { rotateApiKey(input: { apiKeyId: "${apiKey.id}" }) { secret } }`,
      {},
      admin,
    );
    expect(rotated.body.data.rotateApiKey.secret).toMatch(/^carte_pub_/);
    // An open page with the old key can read why it does not work any more.
    expect((await request('https://a.example', secret))[1]).toMatchObject({
      status: 401,
      allowed: 'https://a.example',
    });
    expect((await request('https://a.example', rotated.body.data.rotateApiKey.secret))[1]).toMatchObject({
      status: 200,
    });
    await app.graphql(`mutation { revokeApiKey(input: { apiKeyId: "${apiKey.id}" }) { apiKey { id } } }`, {}, admin);
    expect((await request('https://a.example', rotated.body.data.rotateApiKey.secret))[1]).toMatchObject({
      status: 401,
      allowed: null,
    });
  });

  test('has origins of pages, and no permissions but that to place orders of guests', async () => {
    const origins =
      '["null", "https://a.example/", "*", "file://", "https://A.example", "a.example", "https://a.example:443"]';
    const { body } = await create(
      `all: true, publishable: true, permissions: [STOCK, PLACE_GUEST_ORDERS, READ_ORDERS], origins: ${origins}`,
    );
    const messages = body.errors[0].extensions.errors.map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      ...['STOCK', 'READ_ORDERS'].map(
        permission =>
          `A publishable key reads what guests may see; of the permissions it can have PLACE_GUEST_ORDERS alone, not ${permission}.`,
      ),
      ...JSON.parse(origins).map(
        (origin: string) =>
          `"${origin}" is not the origin of a page, such as https://menu.example or http://localhost:5173.`,
      ),
    ]);
    const secret = await create('all: true, origins: ["https://a.example"]');
    expect(secret.body.errors[0].message).toContain('Only a publishable key is for pages of certain origins.');
    const placing = await create('all: true, permissions: [ORDERS, PLACE_GUEST_ORDERS]');
    expect(placing.body.errors[0].extensions.errors).toEqual([
      {
        path: ['input', 'permissions', 1],
        type: 'value_error',
        message:
          'The permission PLACE_GUEST_ORDERS is only for publishable keys; with a secret key, ORDERS places orders.',
      },
    ]);
  });

  test('is unknown to a version that takes every key for a secret one', async () => {
    const [row] = await app.orm.em.fork().execute<{ hash: Buffer }[]>("select hash from api_key where name = 'page'");
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(key));
    expect(row?.hash.equals(Buffer.from(digest))).toBe(false);
  });
});

describe('The address of a guest', async () => {
  const limited = await startApp({ publishableRateLimit: 20, rateLimit: 1, trustedProxies: ['127.0.0.0/8'] });
  const guest = await limited.newKey({ publishable: true, permissions: [], origins: [page] });
  const send = (address: string) =>
    limited.get('/v1/stores/', { 'x-api-key': guest, 'x-forwarded-for': address, origin: page });

  test('has a limit of its own for each minute, which no other address meets', async () => {
    const responses = [];
    for (let count = 0; count < 60; count++) responses.push(await send('203.0.113.1'));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]?.body.detail).toBe('An address may make 20 requests a minute with a publishable key.');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('access-control-allow-origin')).toBe(page);
    expect((await send('203.0.113.2')).status).toBe(200);
    const { text } = await limited.get('/metrics');
    expect(text).toMatch(/carte_publishable_requests_total\{status="429"\} \d+/);
  });

  test('has few streams open', async () => {
    const abort = new AbortController();
    const open = async (address: string) => {
      const response = await fetch(`${limited.url}/graphql`, {
        method: 'POST',
        signal: abort.signal,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'x-api-key': guest,
          'x-forwarded-for': address,
        },
        body: JSON.stringify({ query: 'subscription { menuEvents(storeId: "limited") { menuRevision } }' }),
      });
      return response.status;
    };
    await limited.data.store({ id: 'limited' });
    const opened = [];
    for (let count = 0; count < 7; count++) opened.push(await open('203.0.113.3'));
    expect(opened).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(await open('203.0.113.4')).toBe(200);
    abort.abort();
  });
});
