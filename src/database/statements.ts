import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { cancelStatement } from './cancel.ts';
import { statementName } from './query.ts';
import { releaseWhenOver } from './release.ts';

/** What the database is asked to do for one request. */
export interface Work {
  statements: number;
  /** Told of each statement; what it answers is told how the statement ended. */
  readonly trace: ((text: string) => (error: unknown) => void) | undefined;
}

/** The work that the running code belongs to. Commands, migrations and the start of the service belong to none. */
export const currentWork = new AsyncLocalStorage<Work | undefined>();

type Send = (...args: unknown[]) => unknown;
type Callback = (error: unknown, ...results: unknown[]) => void;

export interface WatchOptions {
  /** How long a statement of a request may take. */
  readonly seconds: number;
  /** Whether statements that have a name are prepared by it. */
  readonly prepare: boolean;
}

/** Names prepared statements, counts those of every request and ends those that take too long; what belongs to no request may. */
export function watchStatements(pool: Pool, { seconds, prepare }: WatchOptions): void {
  keepContext(pool);
  pool.on('connect', client => {
    releaseWhenOver(client);
    if (prepare) nameStatements(client);
    watchClient(client, seconds * 1_000);
  });
}

/**
 * A connection that becomes free is handed over in the name of the request that had it, unless the next one insists. Not by
 * `AsyncLocalStorage.bind`: what that makes holds on to the one before it, and so request after request outlives its answer.
 */
function keepContext(pool: Pool): void {
  const connect: Send = pool.connect.bind(pool);
  Object.assign(pool, {
    connect(callback?: Callback) {
      if (!callback) return connect();
      const work = currentWork.getStore();
      return connect((error: unknown, ...lent: unknown[]) => currentWork.run(work, callback, error, ...lent));
    },
  });
}

/** Kysely has no way to name a statement, so its text does (database/query.ts). */
function nameStatements(client: PoolClient): void {
  const send: Send = client.query.bind(client);
  Object.assign(client, {
    query: (query: unknown, ...rest: unknown[]) => {
      const name = statementName(textOf(query));
      if (name === undefined) return send(query, ...rest);
      if (typeof query === 'string') {
        const [values, ...others] = rest;
        return send({ name, text: query, values }, ...others);
      }
      return send(Object.assign(query as object, { name }), ...rest);
    },
  });
}

function watchClient(client: PoolClient, patience: number): void {
  const send: Send = client.query.bind(client);
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const work = currentWork.getStore();
      if (!work) return send(...args);
      const end = begin(client, { work, patience, text: textOf(args[0]) });
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        return send(...args.slice(0, -1), (error: unknown, ...results: unknown[]) => {
          end(error);
          callback(error, ...results);
        });
      }
      const sent = send(...args);
      return sent instanceof Promise ? untilEnd(sent, end) : sent;
    },
  });
}

interface Sending {
  readonly work: Work;
  readonly text: string;
  readonly patience: number;
}

function begin(client: PoolClient, { work, text, patience }: Sending): (error: unknown) => void {
  work.statements += 1;
  const endTrace = work.trace?.(text);
  let endCancelled: (() => void) | undefined;
  const timer = setTimeout(() => {
    endCancelled = cancelStatement(client);
  }, patience);
  return error => {
    clearTimeout(timer);
    endCancelled?.();
    endTrace?.(error);
  };
}

async function untilEnd<T>(sent: Promise<T>, end: (error: unknown) => void): Promise<T> {
  try {
    const result = await sent;
    end(undefined);
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
}
