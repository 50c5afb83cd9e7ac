import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

/** Few, so that none is added while a busy machine runs a test. */
const perMinute = 2;
const introspection = '{"query":"{ __schema { queryType { name } } }"}';

/** Sends requests to /graphql one after another, and counts their statuses. */
async function countStatuses(
  { url }: { readonly url: string },
  count: number,
  headersOf: (index: number) => Record<string, string>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let index = 0; index < count; index++) {
    const headers = { 'content-type': 'application/json', ...headersOf(index) };
    const { status } = await fetch(`${url}/graphql`, { method: 'POST', body: introspection, headers });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

describe('requests without a valid key, from one address', async () => {
  const app = await startApp({ addressRateLimit: perMinute });

  test('are limited with 429 and Retry-After, whatever X-Forwarded-For says; requests with a key are not', async () => {
    const forged = await countStatuses(app, 20, index => ({ 'x-forwarded-for': `203.0.113.${index}` }));
    expect(forged[429]).toBeGreaterThan(15);
    const { status, headers, body } = await app.get('/v1/stores/', { 'x-api-key': '' });
    expect([status, Math.ceil(Number(headers.get('retry-after')) / 30)]).toEqual([429, 1]);
    expect(body.detail).toBe(`An address may make ${perMinute} requests a minute without a valid API key.`);
    expect((await app.get('/v1/stores/')).status).toBe(200);
    const newKey = await app.newKey();
    expect((await app.get('/v1/stores/', { 'x-api-key': newKey })).status).toBe(200);
  });

  test('are counted also with an unknown key, and their keys are looked up together', async () => {
    await countStatuses(app, perMinute, index => ({ 'x-api-key': `carte_unknown${index}` }));
    const { result, statements } = await app.statements.during(() =>
      Promise.all(
        Array.from({ length: 50 }, (_, index) => app.get('/v1/stores/', { 'x-api-key': `carte_flood${index}` })),
      ),
    );
    expect(new Set(result.map(({ status }) => status))).toEqual(new Set([429]));
    expect(statements.length).toBeLessThan(25);
  });
});

describe('behind a proxy that CARTE_TRUST_PROXY names', async () => {
  const app = await startApp({ addressRateLimit: perMinute, trustedProxies: ['127.0.0.0/8'] });

  test('each client has its own limit, and an IPv6 client one for its /64', async () => {
    const clients = await countStatuses(app, 40, index => ({ 'x-forwarded-for': `10.9.9.9, 203.0.113.${index}` }));
    expect(clients).toEqual({ 200: 40 });
    const oneClient = await countStatuses(app, 40, () => ({ 'x-forwarded-for': '203.0.113.200' }));
    expect(oneClient[429]).toBeGreaterThan(15);
    const network = await countStatuses(app, 40, index => ({
      'x-forwarded-for': `2001:db8:0:7::${index.toString(16)}`,
    }));
    expect(network[429]).toBeGreaterThan(15);
  });
});

describe('a request to /graphql without a key', async () => {
  const app = await startApp();

  test('may have no large body, be its length known or not', async () => {
    const query = `{ __typename ${' '.repeat(9_000)} }`;
    const known = await app.graphql(query, {}, { 'x-api-key': '' });
    expect([known.status, known.body.errors[0].message]).toEqual([
      413,
      'Without an API key, a body has at most 8192 bytes.',
    ]);
    expect(await sendChunked(`${app.url}/graphql`, JSON.stringify({ query }))).toBe(413);
    expect((await app.graphql(query)).status).toBe(200);
  });

  // Its error, unheard, ended the process; vitest reports it as unhandled.
  test('may have a body that is rejected unread', async () => {
    const body = ' '.repeat(11 * 1024 * 1024);
    const tooLong = await app.send('POST', '/graphql', {
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': '' },
    });
    expect(tooLong.status).toBe(413);
    for (const length of [9_000, 100_000]) {
      expect(await sendChunked(`${app.url}/graphql`, ' '.repeat(length), 'text/x')).toBe(415);
    }
    expect((await app.get('/health/live')).status).toBe(200);
  });

  test('is 401 with variables, and is not validated if it selects anything but introspection', async () => {
    const headers = { 'x-api-key': '' };
    const query = 'query ($name: String!) { __type(name: $name) { name } }';
    expect((await app.graphql(query, { name: 'Store' }, headers)).status).toBe(401);
    expect((await app.graphql('{ nonsense }', {}, headers)).status).toBe(401);
  });
});

function sendChunked(url: string, body: string, type = 'application/json'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type };
    const sent = request(url, { method: 'POST', headers }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.write(body.slice(0, 100));
    sent.end(body.slice(100));
  });
}
