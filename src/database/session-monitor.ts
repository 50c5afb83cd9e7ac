import type pg from 'pg';
import { withTimeout } from './timeout.ts';

/** A connection as the monitor sees it. */
export interface MonitoredSession {
  /** `application_name`, under which the server lists the session. */
  readonly sessionName: string;
  /** Whether its statement belongs to a request: such a one is given up while the server cannot be queried. */
  readonly isOfRequest: boolean;
  /** Whether it is idle in the pool. */
  readonly isIdle: boolean;
  /** The statement that it waits for. */
  readonly pending: PendingStatement | undefined;
  /** Closes the socket; pending statements reject. */
  destroy(): void;
}

export interface PendingStatement {
  readonly since: number;
  /** How often in a row the server did not have the statement running. */
  misses: number;
}

/** Sessions by name, and whether each runs a statement. */
export type ServerSessions = ReadonlyMap<string, { readonly isActive: boolean }>;

const checkIntervalMs = 500;
const suspiciousMs = 1_500;
/** Behind a PgBouncer a statement may wait for a server connection for long. */
const suspiciousOutsideRequestsMs = 10_000;
const missesToDestroy = 2;
const failuresToGiveUp = 2;

/**
 * Detects half-open connections, as after a failover behind a load balancer: TCP would time out after minutes, the statement after half a
 * minute. While a statement takes long, a second connection lists the sessions of the server, and connections without an active session
 * are destroyed. Statements that are running are left alone, however long they take, unless the server cannot be queried twice in a row.
 */
export class SessionMonitor {
  readonly #sessions = new Set<MonitoredSession>();
  readonly #listSessions: () => Promise<ServerSessions | undefined>;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;
  #failures = 0;

  /** `listSessions` resolves to undefined where nothing can be concluded. */
  constructor(listSessions: () => Promise<ServerSessions | undefined>) {
    this.#listSessions = listSessions;
  }

  open(session: MonitoredSession): void {
    this.#sessions.add(session);
    this.#timer ??= setInterval(() => void this.#check(), checkIntervalMs).unref();
  }

  close(session: MonitoredSession): void {
    this.#sessions.delete(session);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    if (!this.#suspicious().next().value) {
      this.#failures = 0;
      return;
    }
    this.#isChecking = true;
    try {
      const sessions = await this.#listSessions();
      this.#failures = 0;
      if (sessions) this.#compare(sessions);
    } catch (error) {
      // A server that reports an error, which has a severity, is alive.
      const isAlive = error instanceof Error && 'severity' in error;
      this.#failures = isAlive ? 0 : this.#failures + 1;
      if (this.#failures >= failuresToGiveUp) this.#giveUpRequests();
    } finally {
      this.#isChecking = false;
    }
  }

  *#suspicious(): Generator<readonly [MonitoredSession, PendingStatement]> {
    const now = performance.now();
    for (const session of this.#sessions) {
      const { pending, isOfRequest } = session;
      if (pending && now - pending.since > (isOfRequest ? suspiciousMs : suspiciousOutsideRequestsMs)) {
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

  #giveUpRequests(): void {
    for (const [session] of [...this.#suspicious()]) if (session.isOfRequest) session.destroy();
    for (const session of this.#sessions) if (session.isIdle) session.destroy();
  }
}

const timeoutMs = 1_500;

/**
 * Lists the sessions whose names have a prefix, on a connection that has such a name too. A pooler that changes names, or a server that
 * tracks no activities, does not list it as it is; then nothing can be concluded.
 */
export async function listSessions(
  client: pg.Client,
  { prefix, probeName }: { readonly prefix: string; readonly probeName: string },
): Promise<ServerSessions | undefined> {
  client.on('error', () => {});
  const list = async () => {
    await client.connect();
    const text = `select application_name as name, state = 'active' as "isActive" from pg_stat_activity
      where starts_with(application_name, $1)`;
    const { rows } = await client.query<{ name: string; isActive: boolean }>(text, [prefix]);
    const sessions = new Map(rows.map(({ name, isActive }) => [name, { isActive }]));
    return sessions.get(probeName)?.isActive ? sessions : undefined;
  };
  try {
    return await withTimeout(timeoutMs, list());
  } finally {
    void client.end();
  }
}
