import type pg from 'pg';
import { Unavailable } from '../errors.ts';
import { FairQueue } from '../scheduling/fair-queue.ts';
import { currentRequest, sessionMonitorOf } from './statements.ts';

/** From this size on a pool keeps connections for other keys. */
const minSharedSize = 4;
/** The share of the pool that one key leaves to others. */
const reserve = 1 / 5;
/** Connections for expensive requests of all keys, and of one: their statements are long, and the database has few cores. */
const expensive = { width: 4, perKey: 2 };
/** The share of the pool that requests which change something have at most; what they abandon counts, until it has ended on the server. */
const writeShare = 3 / 5;
/** The share of those connections that one key has at most. */
const writesPerKey = 2 / 3;
/** With this share of them abandoned, further changes fail at once. */
const maxAbandonedShare = 1 / 2;
const maxWaiting = 10_000;
/** In place of a key, for workers without one. */
const workers = '';

/** As long as an expensive request may wait for its turn. */
const maxExpensiveWaitMs = 60_000;

export interface ConnectionShares {
  readonly connections: FairQueue;
  /** Those of expensive requests, which wait for each other alone. */
  readonly expensiveConnections: FairQueue;
  /** Those of requests that change something; they are among the connections above, too. */
  readonly writes: FairQueue;
  /** Sessions that wait on the server for something, mostly a synchronous standby, after their clients have given up. */
  readonly abandoned: () => number;
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/**
 * Has the requests of each key take turns for the connections of a pool, of which no key gets all. Other work takes connections
 * as before. Returns the queues, for their counts.
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
  const maxWrites = Math.max(1, Math.floor(width * writeShare));
  const writes = new FairQueue({
    width: maxWrites,
    perKey: Math.ceil(maxWrites * writesPerKey),
    maxWaiting,
    maxWaitMs: timeoutMs,
    createError,
  });
  const monitor = sessionMonitorOf(pool);
  const abandoned = () => monitor?.abandonedCount ?? 0;
  // They use connections of the server, of which the pool may have so many fewer; those that read keep some.
  if (monitor) {
    monitor.onAbandoned = () => {
      pool.options.max = Math.max(width - abandoned(), width - maxWrites, 1);
    };
  }

  const connect = pool.connect.bind(pool);
  const owners = new WeakMap<object, () => void>();
  // Emitted for every client that is returned, also for one that is removed from the pool.
  pool.on('release', (_error, client) => {
    const leave = owners.get(client);
    owners.delete(client);
    const end = leave && 'sessionName' in client && monitor?.endOf({ sessionName: String(client.sessionName) });
    if (end) void end.then(leave);
    else leave?.();
  });

  /** Enters all queues, without a promise where a connection is free, as nearly always. */
  const connectInTurn = (
    key: string,
    [shared, ...others]: readonly FairQueue[],
    callback: Connected,
    leave = () => {},
  ): void => {
    const fail = (error: Error) => {
      leave();
      callback(error, undefined, () => {});
    };
    const leaveAll = () => {
      shared?.leave(key);
      leave();
    };
    const enterNext = () => connectInTurn(key, others, callback, leaveAll);
    if (!shared) {
      connect((error, client, release) => {
        if (client) owners.set(client, leave);
        else leave();
        callback(error, client, release);
      });
    } else if (shared.tryEnter(key)) enterNext();
    else shared.enter(key).then(enterNext, fail);
  };
  const maxAbandoned = Math.max(1, maxWrites * maxAbandonedShare);
  pool.connect = ((callback?: Connected) => {
    const { keyId, isExpensive, isWriting, isWorker } = currentRequest.getStore() ?? {};
    // With a callback, a mutation reads, perhaps while it has a connection.
    const isChange = isWorker || (isWriting && !callback);
    if (keyId === undefined && !isChange) return callback ? connect(callback as never) : connect();
    const shared = isExpensive ? expensiveConnections : connections;
    const connectShared = (done: Connected) => {
      if (isChange && abandoned() >= maxAbandoned) return done(unconfirmed(), undefined, () => {});
      connectInTurn(keyId ?? workers, isChange ? [writes, shared] : [shared], done);
    };
    if (callback) return connectShared(callback);
    return new Promise<pg.PoolClient>((resolve, reject) =>
      connectShared((error, client) => (client ? resolve(client) : reject(error))),
    );
  }) as pg.Pool['connect'];
  return { connections, expensiveConnections, writes, abandoned };
}

const unconfirmed = () =>
  new Unavailable('Nothing can be changed at the moment: the database does not confirm changes in time.', {
    retryAfterSeconds: 5,
  });
