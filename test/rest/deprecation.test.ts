import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { writeSet } from '../support/operations.ts';

const shop = writeSet('shop', {
  'a.graphql': `
extend schema @interface(
  title: "Shop", description: "A shop.", tags: [{ name: "Shop", description: "All." }], license: { name: "MIT", identifier: "MIT" }
)

query oldStore($id: ID!, $dish: String = "soup" @deprecated(reason: "Soup is all there is.", since: "2026-12-01"))
@route(path: "/shop/old/{id}", tags: ["Shop"], summary: "A store")
@deprecated(reason: "Use newStore.", since: "2026-10-01", sunset: "2099-06-30", link: "https://shop.example/move?to=new")
@tool {
  store(id: $id) {
    menuRevision @etag
    id
    town: timezone @deprecated(reason: "Nobody reads it.", sunset: "2099-01-31")
    item(externalId: $dish) {
      name @deprecated(reason: "Use label.") { ...Text }
      label: description { ...Text }
    }
  }
}

fragment Text on MultilingualText { translations }

query newStore($id: ID!) @route(path: "/shop/new/{id}", tags: ["Shop"]) { store(id: $id) { id } }

query seenOrder($id: ID!) @route(path: "/shop/orders/{id}", tags: ["Shop"]) @deprecated(reason: "Nobody needs it") {
  order(id: $id) { seen: isRead }
}

mutation seeOrder($id: ID!, $seen: Boolean) @route(path: "/shop/orders/{id}", tags: ["Shop"], body: "See") {
  markOrders(input: { orderIds: [$id], isRead: $seen }) { orders @body { id } }
}

input See {
  SEEN: Boolean = true @to(path: "seen")
  "Anything."
  WHO: String @unused @deprecated(reason: "Nobody reads it.", sunset: "2099-01-31")
}

mutation stopOrders($ids: [ID!]!, $seen: Boolean @deprecated(reason: "Always true."))
@route(path: "/shop/stop/", tags: ["Shop"])
@deprecated(reason: "Use seeOrder.", since: "2024-02-29", sunset: "2025-02-28") {
  markOrders(input: { orderIds: $ids, isRead: $seen }) { orders @body { id } }
}

query notifyOld($event: ID!) @webhook(events: [ORDER_PLACED], tags: ["Shop"]) @deprecated(reason: "Use another one.") {
  event(messageId: $event) { what: kind }
}`,
});
const overrides = { operations: [shop], mcp: { enabled: true, resultBytes: 4096 }, bodyLimit: 2_000 };
const app = await startApp(overrides);
const store = await app.data.store();
const path = `/shop/old/${store.id}`;
const [order] = await app.data.orders(store, 1);
const readOnly = { 'x-api-key': await app.newKey({ permissions: ['READ_MENUS'] }) };

const announced = {
  deprecation: `@${Date.UTC(2026, 9, 1) / 1_000}`,
  sunset: 'Tue, 30 Jun 2099 00:00:00 GMT',
  link: '<https://shop.example/move?to=new>; rel="deprecation"',
};
const none = { deprecation: null, sunset: null, link: null };
const headersOf = ({ headers }: { readonly headers: Headers }) =>
  Object.fromEntries(Object.keys(none).map(name => [name, headers.get(name)]));

describe('a deprecated route', () => {
  test('says so in every response, whatever its status', async () => {
    const read = await app.get(path);
    const responses = {
      200: read,
      204: await app.send('OPTIONS', path),
      304: await app.get(path, { 'if-none-match': String(read.headers.get('etag')) }),
      307: await app.get(`${path}/`),
      401: await app.get(path, { 'x-api-key': '' }),
      404: await app.get('/shop/old/unknown'),
      405: await app.send('DELETE', path),
      422: await app.get(`${path}?dsh=soup`),
    };
    for (const [status, response] of Object.entries(responses)) {
      expect([response.status, headersOf(response)], status).toEqual([Number(status), announced]);
    }
    const head = await app.send('HEAD', path);
    expect([head.status, head.text, headersOf(head)]).toEqual([200, '', announced]);
    expect(head.headers.get('content-length')).toBe(String(read.text.length));
    expect(headersOf(await app.send('HEAD', path, { headers: { 'x-api-key': '' } }))).toEqual(announced);
  });

  test('says so where the body is refused, and where a key has made too many requests', async () => {
    const limited = await startApp({ ...overrides, rateLimit: 1 });
    const headers = { 'x-api-key': await limited.newKey() };
    const statuses = [await limited.get(path, headers), await limited.get(path, headers)];
    expect(statuses.map(each => [each.status, headersOf(each)])).toEqual([
      [404, announced],
      [429, announced],
    ]);
    const past = {
      deprecation: `@${Date.UTC(2024, 1, 29) / 1_000}`,
      sunset: 'Fri, 28 Feb 2025 00:00:00 GMT',
      link: null,
    };
    const url = '/shop/stop/';
    const responses = {
      200: await app.post(url, { ids: [order?.id], seen: true }),
      403: await app.post(url, { ids: [] }, readOnly),
      413: await app.post(url, { ids: ['x'.repeat(3_000)] }),
      415: await app.post(url, 'a', { 'content-type': 'text/plain' }),
      422: await app.post(url, { ids: 1 }),
    };
    for (const [status, response] of Object.entries(responses)) {
      expect([response.status, headersOf(response)], status).toEqual([Number(status), past]);
    }
  });

  test('without dates has the earliest one, and other routes at its path and elsewhere have no header', async () => {
    const url = `/shop/orders/${order?.id}`;
    expect(headersOf(await app.get(url))).toEqual({ ...none, deprecation: '@0' });
    expect(headersOf(await app.send('HEAD', url))).toEqual({ ...none, deprecation: '@0' });
    const others = [
      await app.post(url, {}),
      await app.send('PUT', url),
      await app.send('OPTIONS', url),
      await app.get(`/shop/new/${store.id}`),
      await app.get('/shop/unknown'),
      await app.get(`/v1/stores/${store.id}`),
    ];
    expect(others.map(({ status }) => status)).toEqual([200, 405, 204, 200, 404, 200]);
    for (const response of others) expect(headersOf(response)).toEqual(none);
  });

  test('lets pages read the headers', async () => {
    const origin = 'https://menu.example';
    const key = await app.newKey({ publishable: true, permissions: [], origins: [origin] });
    const read = await app.get(path, { origin, 'x-api-key': key });
    expect(read.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
    );
  });

  test('is a tool whose description says so', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { 'x-api-key': app.key } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', app.url), { requestInit }));
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'oldStore');
    expect(tool?.description).toMatch(/^Deprecated since 2026-10-01, to be removed on 2099-06-30: Use newStore\. See /);
    expect(tool?.inputSchema.properties?.dish).toMatchObject({
      deprecated: true,
      description: expect.stringMatching(/^Deprecated since 2026-12-01: Soup is all there is\./),
    });
  });
});

describe('the documents', () => {
  const sentence =
    'Deprecated since 2026-10-01, to be removed on 2099-06-30: Use newStore. See <https://shop.example/move?to=new>.';

  test.each(['shop', 'shop-3.0'])('%s.json marks what is deprecated, and linters find nothing', async name => {
    const { body } = await app.get(`/openapi/${name}.json`);
    const { get } = body.paths['/shop/old/{id}'];
    expect([get.deprecated, get.description]).toEqual([true, expect.stringMatching(/^Deprecated .*\n\nA store\./)]);
    expect(get.description).toContain(sentence);
    expect(get.parameters).toEqual([
      expect.not.objectContaining({ deprecated: true }),
      expect.objectContaining({ name: 'dish', deprecated: true, description: expect.stringMatching(/^Deprecated /) }),
      expect.not.objectContaining({ deprecated: true }),
    ]);
    expect(body.paths['/shop/new/{id}'].get).not.toHaveProperty('deprecated');
    const { OldStoreResponse, OldStoreResponseItem, SeeOrderRequest } = body.components.schemas;
    expect(OldStoreResponse.properties).toMatchObject({
      id: expect.not.objectContaining({ deprecated: true }),
      town: {
        deprecated: true,
        description: expect.stringMatching(/^Deprecated, to be removed on 2099-01-31: Nobody reads it\./),
      },
    });
    expect(OldStoreResponseItem.properties).toMatchObject({
      name: { deprecated: true, description: expect.stringMatching(/^Deprecated: Use label\./) },
      label: expect.not.objectContaining({ deprecated: true }),
    });
    expect(SeeOrderRequest.properties).toMatchObject({
      SEEN: expect.not.objectContaining({ deprecated: true }),
      WHO: { deprecated: true, description: 'Deprecated, to be removed on 2099-01-31: Nobody reads it. Anything.' },
    });
    if (name === 'shop') {
      expect(body.webhooks.notifyOld.post).toMatchObject({
        deprecated: true,
        description: expect.stringMatching(/^Deprecated: Use another one\.\n\n/),
      });
    }
    const rules = { 'no-path-trailing-slash': 'off', 'no-server-example.com': 'off' } as const;
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    const problems = await lintFromString({ source: JSON.stringify(body), absoluteRef: `${name}.json`, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('of Postman and /docs say it, too', async () => {
    const [folder] = (await app.get('/openapi/shop.postman.json')).body.item;
    const item = folder.item.find(({ name }: { name: string }) => name === 'A store');
    expect(item.request.description).toBe(sentence);
    expect(item.request.url.query[0].description).toMatch(/^Deprecated since 2026-12-01: /);
    const { text } = await app.get('/docs?set=shop');
    const section = /<section class="route" id="tag\/shop\/GET\/shop\/old.*?<\/section>/s.exec(text)?.[0] ?? '';
    // The route, its parameter and two fields.
    expect(section.match(/>deprecated</g)).toHaveLength(3);
    expect(section).toContain('Deprecated since 2026-10-01, to be removed on 2099-06-30: Use newStore.');
    const other = /<section class="route" id="tag\/shop\/GET\/shop\/new.*?<\/section>/s.exec(text)?.[0] ?? '';
    expect(other).not.toContain('deprecated');
  });
});
