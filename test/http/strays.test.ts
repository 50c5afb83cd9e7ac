import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { handleNotFound } from '../../src/server/not-found.ts';

const app = Fastify();
handleNotFound(app);
app.get('/broken', () => {
  throw new Error('the disk at /secret is full');
});
app.post('/read', () => ({}));

describe('What no part of the server answers', () => {
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
    const answer = await app.inject(request);
    expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Not Found' }]);
  });

  test('an error of the caller is told in one sentence', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/read',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect([answer.statusCode, answer.json()]).toEqual([400, { detail: expect.stringContaining('JSON') }]);
  });

  test('an error of ours is not told', async () => {
    const answer = await app.inject('/broken');
    expect([answer.statusCode, answer.json()]).toEqual([500, { detail: 'Internal server error' }]);
    expect(answer.headers['x-request-id']).toMatch(/\S/);
  });
});

describe('/graphql', () => {
  test.each(['PUT', 'PATCH', 'DELETE'] as const)('%s is 405, whatever body it has', async method => {
    const answer = await app.inject({
      method,
      url: '/graphql?query={stores{id}}',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
    expect(answer.json()).toEqual({
      errors: [{ message: 'Method Not Allowed', extensions: { code: 'METHOD_NOT_ALLOWED' } }],
    });
  });

  test('OPTIONS says what is allowed', async () => {
    const answer = await app.inject({ method: 'OPTIONS', url: '/graphql' });
    expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([204, 'GET, HEAD, OPTIONS, POST', '']);
  });
});
