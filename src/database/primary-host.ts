import pg from 'pg';
import type { Host } from './database-url.ts';

/** Longer than a healthy server takes; a host that is gone is not waited for longer. */
const probeTimeoutMs = 2_000;
const cacheMs = 1_000;

const stateStatement = `
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_insert_lsn()) end as "walFile"`;

/**
 * Finds the primary among several hosts, as libpq does with `target_session_attrs=read-write`. A server whose timeline is older than one
 * that was seen before is not taken: it is the old primary, come back after another was promoted.
 */
export class PrimaryHost {
  readonly #hosts: readonly Host[];
  #found: { readonly host: Promise<Host>; readonly at: number } | undefined;
  #timeline = 0;

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
  }

  /** Connections that are opened at the same time share a probe. */
  find(config: pg.ClientConfig): Promise<Host> {
    const [only] = this.#hosts;
    if (only && this.#hosts.length === 1) return Promise.resolve(only);
    if (this.#found && performance.now() - this.#found.at < cacheMs) return this.#found.host;
    const host = Promise.any(this.#hosts.map(candidate => this.#probe(candidate, config)));
    const found = { host, at: performance.now() };
    this.#found = found;
    host.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return host;
  }

  async #probe({ host, port }: Host, config: pg.ClientConfig): Promise<Host> {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs });
    Object.assign(client, { host, port });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ isReadOnly: boolean; walFile: string | null }>(stateStatement);
      const timeline = Number.parseInt(rows[0]?.walFile?.slice(0, 8) ?? '0', 16);
      if (rows[0]?.isReadOnly !== false) throw notPrimary(`${host}:${port} is a standby`);
      if (timeline < this.#timeline)
        throw notPrimary(`${host}:${port} is at timeline ${timeline}, behind another primary`);
      this.#timeline = timeline;
      return { host, port };
    } finally {
      void client.end();
    }
  }
}

/** With the SQLSTATE of a server that has become a standby: callers may retry. */
const notPrimary = (message: string) => Object.assign(new Error(message), { code: '25006' });
