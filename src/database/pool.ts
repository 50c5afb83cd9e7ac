import { Unavailable } from '@carte/base/errors';
import { parseExactJson } from '@carte/base/json';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { currentRequest, type RequestStatements } from '../scheduling/current-request.ts';
import { FairQueue, type FairQueueOptions } from '../scheduling/fair-queue.ts';
import { createClientClass, type StatementOptions, sessionMonitorOf } from './client.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { Query } from './query.ts';

/** Idle connections to a host that is gone are closed some ten seconds after this. */
const keepAliveInitialDelayMillis = 5_000;

/** Settings that every pool shares, whether MikroORM opens it or we do. */
export function poolOptions(options: StatementOptions) {
  return { keepAlive: true, keepAliveInitialDelayMillis, Client: createClientClass(options) };
}

/** Returns a function that creates clients outside of the pool: like those of the pool or, with a URL, for that server. */
export function clientFactory(pool: pg.Pool, url: string | undefined, options: StatementOptions): () => pg.Client {
  if (url === undefined) {
    const Client = (pool.options.Client ?? pg.Client) as unknown as new (config: pg.ClientConfig) => pg.Client;
    return () => new Client(pool.options);
  }
  const address = parseDatabaseUrl(url);
  const { Client, ...keepAlive } = poolOptions({ ...options, hosts: address?.hosts ?? [] });
  const config = { ...keepAlive, connectionString: address?.url ?? url, types: typeParsers() };
  return () => new Client(config);
}

type Parse = (text: string) => unknown;

const { INT8, TIMESTAMPTZ, JSON: json } = pg.types.builtins;
const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as Parse;
const usualTimestamp = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?[+-]\d\d$/;

/** V8 parses the usual format in less than half the time of `pg`, which gets the others. */
export function parseTimestamp(text: string): unknown {
  return usualTimestamp.test(text) ? new Date(text) : parseAnyTimestamp(text);
}

/** Type parsers of a pool; ours take precedence over `base`. */
export function typeParsers(base: pg.CustomTypesConfig = pg.types): pg.CustomTypesConfig {
  // Every int8 of this schema is a safe integer, and numbers in json documents keep their digits. The others are cached here, too, since `pg`
  // looks up the parser of each column of each result.
  const parsers = new Map<number, Parse>([
    [INT8, Number],
    [TIMESTAMPTZ, parseTimestamp],
    [json, parseExactJson],
  ]);
  return {
    getTypeParser(oid, format) {
      if (format === 'binary') return base.getTypeParser(oid, format);
      let parse = parsers.get(oid);
      if (!parse) {
        parse = base.getTypeParser(oid, format) as Parse;
        parsers.set(oid, parse);
      }
      return parse;
    },
  };
}

/** The connections that repositories read from. */
export interface ReadAccess {
  /** For its metadata and its query builder. */
  readonly em: EntityManager;
  /** For lists and whole configurations, which a replica may serve. */
  readonly query: Query;
  /** For single rows, where checking a replica's replay position would cost as much as the read. */
  readonly primary: Query;
}

/** Reads from the ORM's own pool. */
export async function createReadAccess(orm: MikroORM): Promise<ReadAccess> {
  const query = queryOn(await orm.em.getConnection().getNativeClient());
  return { em: orm.em.fork(), query, primary: query };
}

export function queryOn(connection: pg.Pool | pg.ClientBase): Query {
  return async (text, values, rowMode) => {
    const config: pg.QueryConfig & { rowMode?: string } = { text, values: [...values], ...(rowMode && { rowMode }) };
    const { rows } = await (connection instanceof pg.Pool ? queryPool(connection, config) : connection.query(config));
    return rows;
  };
}

/**
 * Does what `pool.query` does, but in the caller's async context: that one sends a statement that waited for a connection from another.
 * Not by `AsyncLocalStorage.bind`, which would chain the contexts of successive requests and keep them all in memory.
 */
function queryPool(pool: pg.Pool, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const request = currentRequest.getStore();
  return new Promise((resolve, reject) => {
    pool.connect((connectError, client, release) => {
      if (!client) return reject(connectError);
      currentRequest.run(request, () =>
        client.query(config, (error: Error | null, result) => {
          // A client with an error is removed from the pool.
          release(error ?? undefined);
          if (error) reject(error);
          else resolve(result);
        }),
      );
    });
  });
}

/** From this size on a pool keeps connections for other keys. */
const minSharedSize = 4;
/** The share of the pool that one key leaves to others. */
const reserve = 1 / 5;
/** Connections for expensive requests of all keys, and of one: their statements are long, and the database has few cores. */
const expensive = { width: 4, perKey: 2 };
/** The share of the pool that all guests have at most, and the connections of one; also those of their expensive requests. */
const guestShare = 3 / 10;
const connectionsPerGuest = 2;
/** The share of those connections that guests who change something have at most, and the share of these that one of them has. */
const guestWriteShare = 1 / 2;
/** Changes of one guest that may wait: no other queue bounds them then. */
const maxGuestWaiting = 50;
/** The share of the pool that keys which change something have at most; what they abandon counts, until it has ended on the server. */
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

export type ConnectionShares = ReturnType<typeof shareConnections>;

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/**
 * Has the requests of each key take turns for the connections of a pool, of which no key gets all. Other work takes connections
 * as before. Returns the queues, for their counts.
 */
export function shareConnections(pool: pg.Pool, { timeoutMs }: { readonly timeoutMs: number }) {
  const width = pool.options.max ?? 10;
  const createError = () =>
    new Unavailable('No connection to the database became free in time.', { retryAfterSeconds: 1 });
  const createQueue = (options: Pick<FairQueueOptions, 'width' | 'perKey'> & Partial<FairQueueOptions>) =>
    new FairQueue({ maxWaiting, maxWaitMs: timeoutMs, createError, ...options });
  const perKey = width < minSharedSize ? width : width - Math.ceil(width * reserve);
  const connections = createQueue({ width, perKey });
  /** Those of expensive requests, which wait for each other alone. */
  const expensiveConnections = createQueue({ ...expensive, maxWaitMs: maxExpensiveWaitMs });
  /** Those of guests; they are among the connections above, too. */
  const maxOfGuests = Math.max(1, Math.floor(width * guestShare));
  const guestConnections = createQueue({ width: maxOfGuests, perKey: connectionsPerGuest });
  const maxGuestWrites = Math.ceil(maxOfGuests * guestWriteShare);
  /** Those of guests who change something: none of what keys have for their changes, which may be one connection. */
  const guestWrites = createQueue({
    width: maxGuestWrites,
    perKey: Math.ceil(maxGuestWrites * guestWriteShare),
    maxWaiting: maxGuestWaiting,
  });
  const maxWrites = Math.max(1, Math.floor(width * writeShare));
  /** Those of keys that change something; they are among the connections above, too. */
  const writes = createQueue({ width: maxWrites, perKey: Math.ceil(maxWrites * writesPerKey) });
  /** The queues that a statement or transaction enters, one after the other: docs/decisions/0019-fair-shares.md has the reasons for their order. */
  const queuesOf = ({ share, isExpensive }: RequestStatements, isChange: boolean): readonly FairQueue[] => {
    if (share?.isGuest)
      return isChange ? [guestWrites, guestConnections, connections] : [guestConnections, connections];
    if (isExpensive) return isChange ? [expensiveConnections, writes] : [expensiveConnections];
    return isChange ? [writes, connections] : [connections];
  };
  const monitor = sessionMonitorOf(pool);
  /** Sessions that wait on the server for something, mostly a synchronous standby, after their clients have given up. */
  const abandoned = () => monitor?.abandonedCount ?? 0;
  // They use connections of the server, of which the pool may have so many fewer; those that read keep some.
  if (monitor) {
    monitor.onAbandoned = () => {
      pool.options.max = Math.max(width - abandoned(), width - maxWrites - maxGuestWrites, 1);
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
    else {
      // Guests who only wait keep no others from the menu.
      if (shared === guestWrites) currentRequest.getStore()?.leaveShare?.();
      shared.enter(key).then(enterNext, fail);
    }
  };
  const maxAbandoned = Math.max(1, maxWrites * maxAbandonedShare);
  pool.connect = ((callback?: Connected) => {
    const request = currentRequest.getStore();
    // With a callback, a mutation reads, perhaps while it has a connection.
    const isChange = Boolean(request?.isWorker || (request?.isWriting && !callback));
    if (!request || !(request.share || isChange)) return callback ? connect(callback as never) : connect();
    const connectShared = (done: Connected) => {
      if (isChange && abandoned() >= maxAbandoned) return done(unconfirmed(), undefined, () => {});
      connectInTurn(request.share?.id ?? workers, queuesOf(request, isChange), done);
    };
    if (callback) return connectShared(callback);
    return new Promise<pg.PoolClient>((resolve, reject) =>
      connectShared((error, client) => (client ? resolve(client) : reject(error))),
    );
  }) as pg.Pool['connect'];
  return { connections, expensiveConnections, guestConnections, guestWrites, writes, abandoned };
}

const unconfirmed = () =>
  new Unavailable('Nothing can be changed at the moment: the database does not confirm changes in time.', {
    retryAfterSeconds: 5,
  });
