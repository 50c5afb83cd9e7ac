import { afterAll, expect } from 'vitest';
import type { KeyRequest } from '../../src/auth/validate.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createServer } from '../../src/server/server.ts';
import { createData, createKey, type Data } from './data.ts';
import { cloneDatabase, createDatabase, prepare } from './database.ts';
import { undescribed } from './described.ts';
import { StatementCounter } from './statements.ts';

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  readonly body: any;
}

// Tests see at once what they do to keys; test/unit/key-cache.test.ts tests the key cache.
const config: Config = {
  ...readConfig({ CARTE_LOG_LEVEL: 'silent' }),
  prepare,
  keyCacheTtlSeconds: 0,
  cacheBytes: 16 * 1024 * 1024,
  // The service shares its event loop with the tests, which block it; test/http/load-shedding.test.ts sets its own limits.
  loadLimits: { maxWaiting: 500, maxDelayMs: 60_000 },
  // All tests have one address; test/http/address-limit.test.ts sets its own limit.
  addressRateLimit: 0,
  // Tests count statements; test/events/webhooks.test.ts delivers.
  webhooks: { deliver: false, allowHttp: true, allowNetworks: ['127.0.0.0/8'] },
};

let shared: ReturnType<typeof createApp> | undefined;

/**
 * The whole service, one for all files of a worker that ask for it: they create merchants, stores and keys of their own, and
 * expect nothing of what all keys together see. It ends with the worker.
 */
export const sharedApp = () => (shared ??= createApp(cloneDatabase));

/** The whole service on a database of its own, listening on a port of its own. */
export async function startApp(overrides: Partial<Config> = {}) {
  const app = await createApp(createDatabase, overrides);
  afterAll(() => app.server.close());
  return app;
}

async function createApp(openDatabase: typeof createDatabase, overrides: Partial<Config> = {}) {
  const statements = new StatementCounter();
  const orm = await openDatabase({ onPool: pool => statements.watch(pool) });
  const server = await createServer(orm, { ...config, ...overrides });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const data: Data = createData(orm);

  const newKey = (request?: Partial<KeyRequest>) => createKey(orm, request);
  const key = await newKey();

  const send = async (method: string, path: string, options: RequestInit = {}): Promise<TestResponse> => {
    const headers = new Headers(options.headers);
    if (!headers.has('x-api-key')) headers.set('x-api-key', key);
    if (headers.get('x-api-key') === '') headers.delete('x-api-key');
    const response = await fetch(new URL(path, url), { method, redirect: 'manual', ...options, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    const body = isJson ? JSON.parse(text) : undefined;
    expect(undescribed(method, path, response.status, body), `${method} ${path}`).toBeUndefined();
    return { status: response.status, headers: response.headers, text, body };
  };

  return {
    url,
    orm,
    server,
    data,
    key,
    newKey,
    statements,
    send,
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send('POST', path, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    graphql: (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
      send('POST', '/graphql', {
        body: JSON.stringify({ query, variables }),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}
