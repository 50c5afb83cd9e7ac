import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type pg from 'pg';
import { currentRequest } from '../scheduling/current-request.ts';
import type { Host } from './database-url.ts';
import { createPrimaryClientClass } from './primary-host.ts';
import { statementName } from './query.ts';
import { listSessions, type PendingStatement, SessionMonitor } from './session-monitor.ts';

export interface StatementOptions {
  /** Timeout of a request's statements; those outside of a request have none. */
  readonly statementSeconds: number;
  readonly prepare: boolean;
  /** The hosts of the URL, where there are several: the primary is one of them. */
  readonly hosts?: readonly Host[];
}

type Release = (error?: Error | boolean) => void;

/**
 * The `Client` class for a pool: connects to the primary, prepares named statements, counts and traces those of each request, and ends
 * those that are slow or whose session is gone.
 */
export function createClientClass({ statementSeconds, prepare, hosts = [] }: StatementOptions): typeof pg.Client {
  const timeoutMs = statementSeconds * 1_000;
  /**
   * Settings of the transactions of requests. A wait for a lock is given up, since nothing is committed yet, so that what is stuck in one store
   * does not take the connections of others; and a session that waits for one ends with its client, where the server's system can tell.
   */
  const beginSettings = `select set_config('lock_timeout', '${Math.ceil(timeoutMs * lockShare)}', true),
  case when version() ~ 'linux|darwin|bsd' then set_config('client_connection_check_interval', '2s', true) end`;
  const PrimaryClient = createPrimaryClientClass(hosts);
  const prefix = `carte ${randomBytes(6).toString('hex')}-`;
  const createProbe = (sessionName: string) => new PrimaryClient({ ...lastConfig, application_name: sessionName });
  const monitor = new SessionMonitor(() => listSessions(createProbe, prefix));
  let lastConfig: pg.ClientConfig = {};
  let sessions = 0;

  return class extends PrimaryClient {
    static readonly monitor = monitor;
    readonly sessionName: string;
    isIdle = false;
    pending: PendingStatement | undefined;
    #release: Release = () => {};
    #isUnreplicated = false;

    constructor(config: pg.ClientConfig) {
      const sessionName = `${prefix}${++sessions}`;
      super({ ...config, application_name: sessionName });
      this.sessionName = sessionName;
      lastConfig = config;
      // Pending statements reject as well; without a listener an `error` event would end the process.
      this.on('error', () => {});
      this.on('notice', ({ routine }) => {
        if (routine === synchronousReplication) this.#isUnreplicated = true;
      });
      this.once('connect', () => monitor.open(this));
      // Kysely's controlled transaction releases no client when begin, commit or rollback fails (kysely-org/kysely#1990).
      this.once('end', () => {
        monitor.close(this);
        this.release(true);
      });
    }

    get release(): Release {
      return this.#release;
    }

    /** The pool assigns a new function at each checkout, and throws when it is called twice. */
    set release(release: Release) {
      let isReleased = false;
      this.isIdle = false;
      this.#release = error => {
        if (isReleased) return;
        isReleased = true;
        this.isIdle = true;
        release(error);
      };
    }

    destroy(): void {
      if (this.pending) monitor.abandon(this);
      this.connection.stream.destroy();
    }

    // One signature stands for the overloads of `pg` that have a callback or return a promise; its callers see theirs.
    override query(given: string | pg.QueryConfig, ...rest: unknown[]): never {
      const query: pg.QueryConfig =
        typeof given === 'string' ? { text: given, ...(Array.isArray(rest[0]) && { values: rest[0] }) } : { ...given };
      const { text } = query;
      const request = currentRequest.getStore();
      if (request && isBegin.test(text)) query.text = `${text}; ${beginSettings}`;
      else if (prepare) query.name = statementName(text) ?? query.name;
      const counted = request?.countedFor ?? request;
      const endSpan = counted?.trace?.(text);
      if (counted) counted.statements += 1;
      let endCancelled: (() => void) | undefined;
      const pending = { since: performance.now(), isOfRequest: request !== undefined, misses: 0 };
      // What waits for a synchronous standby is never cancelled: all would see a change that the standby does not have.
      const onTimeout = async () => {
        const isCommitted = isCommit.test(text) || (isChange.test(text) && (await monitor.isReplicating(this)));
        if (this.pending !== pending) return;
        if (isCommitted) this.destroy();
        else endCancelled = cancelStatement(this, () => (this.pending ? this.destroy() : void this.end()));
      };
      const timer = request && setTimeout(() => void onTimeout(), timeoutMs);
      this.pending = pending;
      /** Returns the error of the statement, if it has one. */
      const end = (error: unknown): unknown => {
        clearTimeout(timer);
        this.pending = undefined;
        endCancelled?.();
        endSpan?.(error);
        if (error || !this.#isUnreplicated) return error;
        this.destroy();
        return Object.assign(new Error(unreplicated), { code: resolutionUnknown });
      };
      const callback = rest.at(-1);
      if (typeof callback === 'function') {
        return super.query(query, (error, result) => callback(end(error), result)) as never;
      }
      const onResult = (result: pg.QueryResult) => {
        const error = end(undefined);
        if (error) throw error;
        return result;
      };
      const onError = (error: unknown) => {
        throw end(error);
      };
      return super.query(query).then(onResult, onError) as never;
    }
  };
}

/** The function of PostgreSQL that warns when the wait for a synchronous standby is cancelled; messages may be translated. */
const synchronousReplication = 'SyncRepWaitForLSN';
const unreplicated = 'The transaction is committed on the primary, but may not be replicated to a synchronous standby';
const resolutionUnknown = '08007';
const isBegin = /^begin[\w\s]*$/i;
const isCommit = /^\s*(?:commit|end|prepare\s+transaction)\b/i;

/** A change that may be a transaction of its own. */
const isChange = /\b(?:insert|update|delete|merge)\b/i;

/** The part of the statement timeout for which a transaction waits for a lock. */
const lockShare = 1 / 3;

/** The monitor of the sessions of a pool; undefined if its clients are not ours. */
export function sessionMonitorOf(pool: pg.Pool): SessionMonitor | undefined {
  const monitor: unknown = pool.options.Client && Reflect.get(pool.options.Client, 'monitor');
  return monitor instanceof SessionMonitor ? monitor : undefined;
}

const cancelRequestCode = 80_877_102;
const cancelTimeoutMs = 2_000;

/**
 * Sends a CancelRequest on a second connection, as the protocol defines it, which works through PgBouncer and leaves no setting in
 * the session; a statement that runs on is ended with its connection. Returns the function to call when the statement has ended: it
 * ends the connection, since a late CancelRequest would hit the next statement.
 */
function cancelStatement(client: pg.Client, endConnection: () => void): () => void {
  sendCancelRequest(client);
  const end = () => {
    clearTimeout(timer);
    endConnection();
  };
  const timer = setTimeout(end, cancelTimeoutMs);
  return end;
}

function sendCancelRequest(client: pg.Client): void {
  // `pg` has both, but does not document them.
  const [processId, secretKey]: unknown[] = [Reflect.get(client, 'processID'), Reflect.get(client, 'secretKey')];
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  for (const [index, number] of [message.length, cancelRequestCode, processId, secretKey].entries()) {
    message.writeInt32BE(number, index * 4);
  }
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Where the server is unreachable, the timeout ends the connection.
  socket.on('error', () => {}).setTimeout(cancelTimeoutMs, () => socket.destroy());
  // The server closes this connection. A PgBouncer before 1.20 crashes when the client closes it first.
  socket.resume().write(message);
}
