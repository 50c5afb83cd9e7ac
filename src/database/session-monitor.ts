import type pg from 'pg';
import { shareRun } from '../scheduling/batch-schedule.ts';
import { withTimeout } from './errors.ts';

/** A connection as the monitor sees it. */
export interface MonitoredSession {
  /** `application_name`, under which the server lists the session. */
  readonly sessionName: string;
  /** Whether it is idle in the pool. */
  readonly isIdle: boolean;
  readonly pending: PendingStatement | undefined;
  /** Closes the socket; pending statements reject. */
  destroy(): void;
}

export interface PendingStatement {
  readonly since: number;
  /** Whether it belongs to a request: such a one is given up while the server cannot be queried. */
  readonly isOfRequest: boolean;
  /** How often in a row the server did not have the statement running. */
  misses: number;
}

interface ServerSession {
  readonly isActive: boolean;
  /** Whether it has committed, and waits for a synchronous standby. */
  readonly isReplicating: boolean;
}

export type ServerSessions = ReadonlyMap<string, ServerSession>;

const checkIntervalMs = 500;
const suspiciousMs = 1_500;
/** Behind a PgBouncer a statement may wait for a server connection for long. */
const suspiciousOutsideRequestsMs = 10_000;
const missesToDestroy = 2;
const failuresToGiveUp = 2;
/** After it, an abandoned session is forgotten where the server does not tell its sessions. */
const maxAbandonedMs = 60_000;

/**
 * Detects half-open connections, as after a failover behind a load balancer: TCP would time out after minutes, the statement after half a
 * minute. While a statement takes long, a second connection lists the sessions of the server, and connections without an active session
 * are destroyed. Statements that are running are left alone, however long they take, unless the server cannot be queried twice in a row.
 *
 * It also knows the sessions that were abandoned, and have not ended on the server: those of commits that wait for a synchronous standby.
 */
export class SessionMonitor {
  readonly #sessions = new Set<MonitoredSession>();
  /** Sessions whose connections were closed while their statements ran. */
  readonly #abandoned = new Map<string, { readonly since: number; readonly ended: PromiseWithResolvers<void> }>();
  /** Shared, so that statements which time out together open one connection. */
  readonly #list: () => Promise<ServerSessions | undefined>;
  /** Called when the number of abandoned sessions has changed. */
  onAbandoned: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  /** `listSessions` resolves to undefined where nothing can be concluded. */
  constructor(listSessions: () => Promise<ServerSessions | undefined>) {
    this.#list = shareRun(listSessions);
  }

  open(session: MonitoredSession): void {
    this.#sessions.add(session);
    this.#timer ??= setInterval(() => void this.#check(), checkIntervalMs).unref();
  }

  close(session: MonitoredSession): void {
    this.#sessions.delete(session);
    this.#stopIfIdle();
  }

  /** Waits for the end of a session whose connection is closed while its statement runs. */
  abandon({ sessionName }: MonitoredSession): void {
    this.#abandoned.set(sessionName, { since: performance.now(), ended: Promise.withResolvers() });
    this.onAbandoned();
  }

  get abandonedCount(): number {
    return this.#abandoned.size;
  }

  /** Resolves when an abandoned session has ended on the server; undefined for any other. */
  endOf({ sessionName }: Pick<MonitoredSession, 'sessionName'>): Promise<void> | undefined {
    return this.#abandoned.get(sessionName)?.ended.promise;
  }

  /** Whether cancelling the statement of a session would cancel its wait for a standby; true while the server cannot be queried. */
  async isReplicating({ sessionName }: MonitoredSession): Promise<boolean> {
    try {
      return (await this.#list())?.get(sessionName)?.isReplicating ?? false;
    } catch {
      return true;
    }
  }

  #stopIfIdle(): void {
    if (this.#sessions.size + this.#abandoned.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = shareRun(async (): Promise<void> => {
    if (this.#abandoned.size === 0 && !this.#suspicious().next().value) {
      this.#failures = 0;
      return;
    }
    try {
      const sessions = await this.#list();
      this.#failures = 0;
      if (sessions) this.#compare(sessions);
      this.#forgetEnded(sessions);
    } catch (error) {
      // A server that reports an error, which has a severity, is alive.
      const isAlive = error instanceof Error && 'severity' in error;
      this.#failures = isAlive ? 0 : this.#failures + 1;
      if (this.#failures < failuresToGiveUp) return;
      for (const [session, { isOfRequest }] of [...this.#suspicious()]) if (isOfRequest) session.destroy();
      for (const session of this.#sessions) if (session.isIdle) session.destroy();
    }
  });

  *#suspicious(): Generator<readonly [MonitoredSession, PendingStatement]> {
    const now = performance.now();
    for (const session of this.#sessions) {
      const { pending } = session;
      if (pending && now - pending.since > (pending.isOfRequest ? suspiciousMs : suspiciousOutsideRequestsMs)) {
        yield [session, pending];
      }
    }
  }

  #compare(running: ServerSessions): void {
    let hasLost = false;
    for (const [session, pending] of [...this.#suspicious()]) {
      pending.misses = running.get(session.sessionName)?.isActive ? 0 : pending.misses + 1;
      if (pending.misses < missesToDestroy) continue;
      hasLost = true;
      session.destroy();
    }
    if (!hasLost) return;
    // Idle connections to the same server would make the next statements hang.
    for (const session of this.#sessions) {
      if (session.isIdle && !running.has(session.sessionName)) session.destroy();
    }
  }

  #forgetEnded(running: ServerSessions | undefined): void {
    const before = this.#abandoned.size;
    for (const [name, { since, ended }] of this.#abandoned) {
      if (running ? running.has(name) : performance.now() - since < maxAbandonedMs) continue;
      this.#abandoned.delete(name);
      ended.resolve();
    }
    if (this.#abandoned.size === before) return;
    this.onAbandoned();
    this.#stopIfIdle();
  }
}

const timeoutMs = 1_500;

/**
 * Lists the sessions whose names have a prefix, on a connection that has such a name too. A pooler that changes names, or a server that
 * tracks no activities, does not list it as it is; then nothing can be concluded.
 */
export async function listSessions(
  createClient: (sessionName: string) => pg.Client,
  prefix: string,
): Promise<ServerSessions | undefined> {
  const probeName = `${prefix}0`;
  const client = createClient(probeName).on('error', () => {});
  const list = async () => {
    await client.connect();
    // Behind a PgBouncer, idle ones may have the name of an active one, which is the last of them.
    const text = `select application_name as name, state = 'active' as "isActive",
      wait_event is not distinct from 'SyncRep' as "isReplicating"
      from pg_stat_activity where starts_with(application_name, $1) order by 2 nulls first`;
    const { rows } = await client.query<ServerSession & { name: string }>(text, [prefix]);
    const sessions = new Map(rows.map(row => [row.name, row]));
    return sessions.get(probeName)?.isActive ? sessions : undefined;
  };
  try {
    return await withTimeout(timeoutMs, list());
  } finally {
    void client.end();
  }
}
