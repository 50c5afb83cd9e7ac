import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { ResponseCache } from '../../src/cache/response-cache.ts';
import { Conflict, Unavailable } from '../../src/errors.ts';
import { scalars } from '../../src/graphql/scalars.ts';
import { mountRest } from '../../src/rest/mount.ts';

const folder = new URL('../../schema/', import.meta.url);
const typeDefs = readdirSync(folder)
  .filter(file => file.endsWith('.graphql'))
  .map(file => readFileSync(new URL(file, folder), 'utf8'));

class LostConnection extends Error {}

/** The routes over a graph whose every store fails in this way. */
function appThatThrows(error: unknown) {
  const logged: string[] = [];
  const app = Fastify({ logger: { level: 'error', stream: { write: line => void logged.push(line) } } });
  const fail = () => {
    throw error;
  };
  mountRest(app, {
    responseCache: new ResponseCache(0),
    readRevisions: async () => ({ menuRevision: 1, ordersRevision: 1 }),
    schema: makeExecutableSchema({
      typeDefs,
      resolvers: [scalars, { Query: { store: fail }, Mutation: { replaceMenuConfiguration: fail } }],
    }),
    authenticate: async () => ({ name: 'caller' }),
    createContext: () => ({}),
    translate: cause => (cause instanceof LostConnection ? new Unavailable('The database is away.') : undefined),
  });
  return { app, logged };
}

describe('what goes wrong inside', () => {
  test('is told to the caller as 500 and a request id, nothing more, and logged with its cause', async () => {
    const secret = new Error('password=secret', { cause: new Error('the very cause') });
    const { app, logged } = appThatThrows(secret);
    const answer = await app.inject('/v1/stores/a');
    expect(answer.statusCode).toBe(500);
    expect(answer.body).toBe('{"detail":"Internal server error"}');
    const id = answer.headers['x-request-id'];
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reqId: id, operation: 'getStore' });
    expect(logged[0]).toContain('the very cause');
  });

  test.each([['a text'], [undefined]])('is 500 also when %j is thrown', async thrown => {
    expect((await appThatThrows(thrown).app.inject('/v1/stores/a')).statusCode).toBe(500);
  });

  test('is 503 with Retry-After when the database is away', async () => {
    for (const error of [new Unavailable('The database is away.'), new LostConnection()]) {
      const { app, logged } = appThatThrows(error);
      const answer = await app.inject('/v1/stores/a/orders/');
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toEqual({ detail: 'The database is away.' });
      expect(answer.headers['retry-after']).toBe('5');
      expect(logged).toEqual([]);
    }
  });

  test('is 412 when the caller built on a state that has moved on', async () => {
    const { app } = appThatThrows(new Conflict('The menu is at revision 2, not 1.'));
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/stores/a/menu_configuration/',
      payload: { items: [] },
    });
    expect(answer.statusCode).toBe(412);
    expect(answer.json()).toEqual({ detail: 'The menu is at revision 2, not 1.' });
  });
});

test('nothing is mounted but the routes of operations', async () => {
  const { app } = appThatThrows(new Error());
  for (const url of ['/webhook', '/webhook/1', '/docs', '/openapi.json', '/get-store', '/']) {
    expect((await app.inject({ method: 'POST', url, payload: {} })).statusCode).toBe(404);
  }
});
