import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp({ addressRateLimit: 50 });
const query = '{"query":"{ stores { nodes { id } } }"}';
const graphqlResponse = 'application/graphql-response+json';

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Errors outside of execution, by status and code. */
const errors: readonly (readonly [status: number, code: string, sent: Sent])[] = [
  [401, 'UNAUTHENTICATED', { headers: { 'x-api-key': 'carte_unknown' } }],
  [401, 'UNAUTHENTICATED', { headers: { 'x-api-key': '' } }],
  [400, 'BAD_REQUEST', { body: '{"query":' }],
  [400, 'BAD_REQUEST', { body: `{"query":"{ __typename }","extensions":${'['.repeat(300)}${']'.repeat(300)}}` }],
  [413, 'BAD_REQUEST', { body: `${query}${' '.repeat(11 * 1024 * 1024)}` }],
  [415, 'BAD_REQUEST', { headers: { 'content-type': 'text/csv' } }],
  [405, 'METHOD_NOT_ALLOWED', { method: 'PUT' }],
  [405, 'METHOD_NOT_ALLOWED', { method: 'DELETE' }],
];

describe.each(errors)(
  'an error of /graphql with the status %i (%s)',
  (status, code, { method = 'POST', body = query, headers = {} }) => {
    const send = (accept: string) =>
      app.send(method, '/graphql', { body, headers: { 'content-type': 'application/json', ...headers, accept } });

    test(`is ${graphqlResponse} where the client accepts it`, async () => {
      const response = await send(`${graphqlResponse}, application/json;q=0.9`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        `${graphqlResponse}; charset=utf-8`,
      ]);
      expect(response.body.errors[0].extensions.code).toBe(code);
    });

    test('is application/json otherwise', async () => {
      const response = await send('application/json');
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'application/json; charset=utf-8',
      ]);
      expect(response.body.errors[0].extensions.code).toBe(code);
    });
  },
);
