import pg from 'pg';
import type { Host } from './database-url.ts';

/** Longer than a healthy server takes; a host that is gone is not waited for longer. */
const probeTimeoutMs = 2_000;
const cacheMs = 1_000;

interface HostState {
  readonly isReadOnly: boolean;
  readonly walFile: string | null;
  readonly system: string;
}

const stateStatement = `
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_insert_lsn()) end as "walFile",
    system_identifier::text as system
  from pg_control_system()`;

/** A `Client` class that connects to the primary, where the URL has several hosts. */
export function createPrimaryClientClass(hosts: readonly Host[]): typeof pg.Client {
  if (hosts.length < 2) return pg.Client;
  const findPrimary = createPrimarySearch(hosts);
  return class extends pg.Client {
    readonly #config: pg.ClientConfig;
    #isEnded = false;

    constructor(config: pg.ClientConfig = {}) {
      super(config);
      this.#config = config;
    }

    // One signature stands for the overloads of `pg`.
    override connect(callback?: unknown): never {
      const connected = this.#connect();
      if (typeof callback !== 'function') return connected as never;
      connected.then(
        () => callback(null),
        error => callback(error),
      );
      return undefined as never;
    }

    override end(...args: unknown[]): never {
      this.#isEnded = true;
      return Reflect.apply(super.end, this, args) as never;
    }

    async #connect(): Promise<void> {
      Object.assign(this, await findPrimary(this.#config));
      // `pg` ignores an end before the connection.
      if (this.#isEnded) throw new Error('Connection terminated');
      await super.connect();
    }
  };
}

/**
 * Finds the primary among several hosts, as libpq does with `target_session_attrs=read-write`. A server whose timeline is older than one
 * that was seen before is not taken: it is the old primary, come back after another was promoted.
 */
function createPrimarySearch(hosts: readonly Host[]): (config: pg.ClientConfig) => Promise<Host> {
  /** The highest timeline of each cluster; a restored dump is a cluster of its own. */
  const timelines = new Map<string, number>();
  let found: { readonly host: Promise<Host>; readonly at: number } | undefined;

  const probe = async ({ host, port }: Host, config: pg.ClientConfig): Promise<Host> => {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs });
    Object.assign(client, { host, port });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<HostState>(stateStatement);
      const [state] = rows;
      if (!state || state.isReadOnly) throw notPrimary(`${host}:${port} is a standby`);
      const { walFile, system } = state;
      const timeline = Number.parseInt(walFile?.slice(0, 8) ?? '0', 16);
      if (timeline < (timelines.get(system) ?? 0)) {
        throw notPrimary(`${host}:${port} is at timeline ${timeline}, behind another primary`);
      }
      timelines.set(system, timeline);
      return { host, port };
    } finally {
      void client.end();
    }
  };

  return config => {
    // Connections that are opened at the same time share a probe.
    if (found && performance.now() - found.at < cacheMs) return found.host;
    const host = Promise.any(hosts.map(candidate => probe(candidate, config)));
    const search = { host, at: performance.now() };
    found = search;
    host.catch(() => {
      if (found === search) found = undefined;
    });
    return host;
  };
}

/** With the SQLSTATE of a server that has become a standby: callers may retry. */
const notPrimary = (message: string) => Object.assign(new Error(message), { code: '25006' });
