import { readdirSync, readFileSync } from 'node:fs';
import { Conflict, Unavailable } from '@carte/base/errors';
import { mountRest } from '@carte/operations/mount';
import { generateRoutes } from '@carte/operations/sofa';
import { makeExecutableSchema } from '@graphql-tools/schema';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { scalars } from '../../src/graphql/scalars.ts';
import { loadContract } from '../../src/rest/contract.ts';

const folder = new URL('../../schema/', import.meta.url);
const typeDefs = readdirSync(folder)
  .filter(file => file.endsWith('.graphql'))
  .map(file => readFileSync(new URL(file, folder), 'utf8'));

class LostConnection extends Error {}

/** The REST routes over a graph whose store resolvers throw this. */
function appThatThrows(error: unknown) {
  const logged: string[] = [];
  const app = Fastify({ logger: { level: 'error', stream: { write: line => void logged.push(line) } } });
  const fail = () => {
    throw error;
  };
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: [scalars, { Query: { store: fail }, Mutation: { replaceMenuConfiguration: fail } }],
  });
  const contract = loadContract(schema);
  app.register(mountRest<string>, {
    schema,
    sets: [{ contract, routes: generateRoutes(contract), createContext: () => ({}) }],
    costOf: () => 0,
    authenticate: async () => 'caller',
    authorize: ([operation]) => operation,
    translateError: cause =>
      cause instanceof LostConnection ? new Unavailable('The database is unavailable.') : undefined,
  });
  return { app, logged };
}

describe('an error in a resolver', () => {
  test('is 500 with a request id and no details, and is logged with its cause', async () => {
    const secret = new Error('password=secret', { cause: new Error('root cause') });
    const { app, logged } = appThatThrows(secret);
    const response = await app.inject('/v1/stores/a');
    expect(response.statusCode).toBe(500);
    expect(response.body).toBe('{"detail":"Internal server error"}');
    const id = response.headers['x-request-id'];
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reqId: id, operation: 'getStore' });
    expect(logged[0]).toContain('root cause');
  });

  test.each([['a text'], [undefined]])('is 500 if %j is thrown, which is not an Error', async thrown => {
    expect((await appThatThrows(thrown).app.inject('/v1/stores/a')).statusCode).toBe(500);
  });

  test('is 503 with Retry-After if the database is unavailable', async () => {
    for (const error of [new Unavailable('The database is unavailable.'), new LostConnection()]) {
      const { app, logged } = appThatThrows(error);
      const response = await app.inject('/v1/stores/a/orders/');
      expect(response.statusCode).toBe(503);
      expect(response.json()).toEqual({ detail: 'The database is unavailable.' });
      expect(response.headers['retry-after']).toBe('5');
      expect(logged).toEqual([]);
    }
  });

  test.each([
    [412, { 'if-match': '*' }],
    [409, {}],
  ])('is %i for a conflict with the headers %j', async (status, headers) => {
    const { app } = appThatThrows(new Conflict('The menu is at revision 2, not 1.'));
    const response = await app.inject({
      method: 'POST',
      url: '/v1/stores/a/menu_configuration/',
      headers,
      payload: { items: [] },
    });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ detail: 'The menu is at revision 2, not 1.' });
  });
});

test('only the routes of operations are mounted', async () => {
  const { app } = appThatThrows(new Error());
  for (const url of ['/webhook', '/webhook/1', '/docs', '/openapi.json', '/get-store', '/']) {
    expect((await app.inject({ method: 'POST', url, payload: {} })).statusCode).toBe(404);
  }
});
