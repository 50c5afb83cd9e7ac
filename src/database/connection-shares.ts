import type pg from 'pg';
import { Unavailable } from '../errors.ts';
import { FairQueue } from '../scheduling/fair-queue.ts';
import { currentRequest } from './statements.ts';

/** From this size on a pool keeps connections for other keys. */
const minSharedSize = 4;
/** The share of the pool that one key leaves to others. */
const reserve = 1 / 5;
/** Connections for expensive requests of all keys, and of one: their statements are long, and the database has few cores. */
const expensive = { width: 4, perKey: 2 };
const maxWaiting = 10_000;

/** As long as an expensive request may wait for its turn. */
const maxExpensiveWaitMs = 60_000;

export interface ConnectionShares {
  readonly connections: FairQueue;
  /** Those of expensive requests, which wait for each other alone. */
  readonly expensiveConnections: FairQueue;
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/**
 * Has the requests of each key take turns for the connections of a pool, of which no key gets all. Work outside of requests takes connections as
 * before. Returns the queues, for their counts.
 */
export function shareConnections(pool: pg.Pool, { timeoutMs }: { readonly timeoutMs: number }): ConnectionShares {
  const width = pool.options.max ?? 10;
  const createError = () =>
    new Unavailable('No connection to the database became free in time.', { retryAfterSeconds: 1 });
  const connections = new FairQueue({
    width,
    perKey: width < minSharedSize ? width : width - Math.ceil(width * reserve),
    maxWaiting,
    maxWaitMs: timeoutMs,
    createError,
  });
  const expensiveConnections = new FairQueue({
    ...expensive,
    maxWaiting,
    maxWaitMs: maxExpensiveWaitMs,
    createError,
  });
  const connect = pool.connect.bind(pool);
  const owners = new WeakMap<object, { readonly shared: FairQueue; readonly key: string }>();
  // Emitted for every client that is returned, also for one that is removed from the pool.
  pool.on('release', (_error, client) => {
    const owner = owners.get(client);
    owners.delete(client);
    owner?.shared.leave(owner.key);
  });

  const connectWith = (key: string, shared: FairQueue, callback: Connected) =>
    connect((error, client, release) => {
      if (client) owners.set(client, { shared, key });
      else shared.leave(key);
      callback(error, client, release);
    });
  /** Without a promise where a connection is free, as nearly always. */
  const connectInTurn = (key: string, shared: FairQueue, callback: Connected): void => {
    const connectNow = () => connectWith(key, shared, callback);
    if (shared.tryEnter(key)) connectNow();
    else shared.enter(key).then(connectNow, error => callback(error, undefined, () => {}));
  };
  pool.connect = ((callback?: Connected) => {
    const request = currentRequest.getStore();
    const key = request?.keyId;
    if (key === undefined) return callback ? connect(callback as never) : connect();
    const shared = request?.isExpensive ? expensiveConnections : connections;
    if (callback) return connectInTurn(key, shared, callback);
    return new Promise<pg.PoolClient>((resolve, reject) =>
      connectInTurn(key, shared, (error, client) => (client ? resolve(client) : reject(error))),
    );
  }) as pg.Pool['connect'];
  return { connections, expensiveConnections };
}
