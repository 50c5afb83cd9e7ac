import { readFileSync } from 'node:fs';
import { readContract } from '@carte/operations/contract/contract';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { readBuiltInSets } from '../../src/rest/sets.ts';
import { startApp } from '../support/app.ts';

const { http } = readConfig({ CARTE_CORS_ORIGINS: 'https://shop.example, http://localhost:5173' });
const [strict, open, closed] = [
  await startApp({ http }),
  await startApp({ http: { ...http, corsOrigins: ['*'] } }),
  await startApp(),
];
const store = await strict.data.store();
const paths = [`/v1/stores/${store.id}/menu_configuration/`, '/graphql'];
const operations = readBuiltInSets().flatMap(set => readContract(loadSchema(), set).operations);
const preflight = {
  origin: 'https://shop.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key, content-type',
  'x-api-key': '',
};

describe('A page of an allowed origin', () => {
  test.each(paths)('gets a preflight response from %s, without a key', async path => {
    const { status, headers, text } = await strict.send('OPTIONS', path, { headers: preflight });
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    expect(headers.get('access-control-allow-headers')).toMatch(/Content-Type, X-Api-Key, If-Match, If-None-Match/);
    expect(headers.get('access-control-max-age')).toBe('86400');
    expect(headers.get('vary')).toBe('Origin');
  });

  test.each(['', 'wrong'])('may read responses, ETags and errors (key "%s")', async key => {
    const headers = { origin: 'http://localhost:5173', ...(key && { 'x-api-key': key }) };
    const response = await strict.get(paths[0] ?? '', headers);
    expect(response.status).toBe(key ? 401 : 200);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.get('access-control-expose-headers')).toMatch(/^ETag, Retry-After, X-Request-Id/);
    expect(response.headers.get('vary')).toMatch(/^Origin, x-api-key/);
  });

  test('may send every header that a route, GraphQL clients and agents need, and read those of responses', async () => {
    const needed = [
      ...operations.flatMap(({ parameters }) => parameters.flatMap(({ header }) => header ?? [])),
      ...['x-api-key', 'content-type', 'if-none-match', 'last-event-id', 'x-carte-cost', 'x-request-id', 'traceparent'],
      ...['apollographql-client-name', 'apollographql-client-version', 'authorization', 'mcp-protocol-version'],
    ].map(name => name.toLowerCase());
    expect(needed).toContain('idempotency-key');
    const row = readFileSync(new URL('../../docs/interface.md', import.meta.url), 'utf8').match(
      /^\| Cross-origin requests .* Pages may send (.*), and read (.*?)\. /m,
    );
    const documented = (text = '') => [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name).join(', ');
    for (const path of [`/pos/v1/stores/${store.id}/orders`, '/graphql', '/mcp']) {
      const headers = { ...preflight, 'access-control-request-headers': needed.join(', ') };
      const response = await strict.send('OPTIONS', path, { headers });
      const allowed = response.headers.get('access-control-allow-headers') ?? '';
      const names = allowed.toLowerCase().split(', ');
      expect(needed.filter(name => !names.includes(name))).toEqual([]);
      expect(names).not.toContain('x-forwarded-host');
      expect(allowed).toBe(documented(row?.[1]));
    }
    const read = await strict.graphql(
      '{ viewer { id } }',
      {},
      { origin: 'https://shop.example', 'x-carte-cost': 'header' },
    );
    const exposed = read.headers.get('access-control-expose-headers') ?? '';
    expect(exposed).toBe(documented(row?.[2]));
    const own = [...read.headers.keys()].filter(name => /^x-(carte|request)/.test(name));
    expect(own).toEqual(['x-carte-cost', 'x-request-id']);
    expect(own.filter(name => !exposed.toLowerCase().split(', ').includes(name))).toEqual([]);
  });

  test('is a page of any origin, where * is allowed', async () => {
    const response = await open.send('OPTIONS', '/graphql', {
      headers: { ...preflight, origin: 'https://any.example' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    // Requests with a publishable key depend on it.
    expect(response.headers.get('vary')).toBe('Origin');
  });
});

describe('A page of another origin', () => {
  test.each(paths)('gets no CORS headers from %s', async path => {
    const headers = { ...preflight, origin: 'https://other.example' };
    for (const app of [strict, closed]) {
      const response = await app.send('OPTIONS', path, { headers });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(response.headers.get('access-control-allow-methods')).toBeNull();
    }
  });

  test('is one that differs only in its port, its scheme or the end of its host', async () => {
    for (const origin of ['https://shop.example.evil', 'http://shop.example', 'https://shop.example:8443', 'null']) {
      const response = await strict.get('/v1/stores/', { origin });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

test('CARTE_CORS_ORIGINS takes origins only', () => {
  expect(() => readConfig({ CARTE_CORS_ORIGINS: 'https://shop.example/, shop.example' })).toThrow(
    'Bad configuration:\n' +
      '  CARTE_CORS_ORIGINS has "https://shop.example/"; an origin is * or such as https://shop.example\n' +
      '  CARTE_CORS_ORIGINS has "shop.example"; an origin is * or such as https://shop.example',
  );
});
