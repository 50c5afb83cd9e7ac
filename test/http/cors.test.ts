import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const { http } = readConfig({ CARTE_CORS_ORIGINS: 'https://shop.example, http://localhost:5173' });
const [strict, open, closed] = [
  await startApp({ http }),
  await startApp({ http: { ...http, corsOrigins: ['*'] } }),
  await startApp(),
];
const store = await strict.data.store();
const paths = [`/v1/stores/${store.id}/menu_configuration/`, '/graphql'];
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
