import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { errorHandler } from '../../src/server/error-handler.ts';

const app = Fastify();
app.register(errorHandler);
app.get('/broken', () => {
  throw new Error('the disk at /secret is full');
});
app.post('/read', () => ({}));

describe('Outside of /v1 and /graphql', () => {
  test.each([
    ['an unknown path', { method: 'GET', url: '/nothing' }],
    [
      'an unknown path with a body that is no JSON',
      { method: 'POST', url: '/nothing', headers: { 'content-type': 'application/json' }, payload: '{' },
    ],
    [
      'an unknown path with a body of an unknown type',
      { method: 'POST', url: '/nothing', headers: { 'content-type': 'text/x' }, payload: '{' },
    ],
  ] as const)('%s is 404', async (_what, request) => {
    const response = await app.inject(request);
    expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Not Found' }]);
  });

  test('an unknown path is a page for browsers, with links that work at any depth', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const response = await app.inject({ url: '/a/<b>', headers: { accept } });
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    expect(response.body).toContain('href="../guides"');
    expect(response.body).not.toContain('<b>');
    for (const url of ['/v1/nothing', '/graphql/nothing']) {
      expect((await app.inject({ url, headers: { accept } })).json()).toEqual({ detail: 'Not Found' });
    }
  });

  test('a client error has its reason in `detail`', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/read',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect([response.statusCode, response.json()]).toEqual([400, { detail: expect.stringContaining('JSON') }]);
  });

  test('an internal error does not expose its message', async () => {
    const response = await app.inject('/broken');
    expect([response.statusCode, response.json()]).toEqual([500, { detail: 'Internal server error' }]);
    expect(response.headers['x-request-id']).toMatch(/\S/);
  });
});
