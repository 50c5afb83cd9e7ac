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

const noState: HostState = { isReadOnly: true, walFile: null, system: '' };

const stateStatement = `
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_insert_lsn()) end as "walFile",
    system_identifier::text as system
  from pg_control_system()`;

/** A `Client` class that connects to the primary, where the URL has several hosts. */
export function createPrimaryClientClass(hosts: readonly Host[]): typeof pg.Client {
  if (hosts.length < 2) return pg.Client;
  const primary = new PrimaryHost(hosts);
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
      Object.assign(this, await primary.find(this.#config));
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
class PrimaryHost {
  readonly #hosts: readonly Host[];
  #found: { readonly host: Promise<Host>; readonly at: number } | undefined;
  /** The highest timeline of each cluster; a restored dump is a cluster of its own. */
  readonly #timelines = new Map<string, number>();

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
  }

  /** Connections that are opened at the same time share a probe. */
  find(config: pg.ClientConfig): Promise<Host> {
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
      const { rows } = await client.query<HostState>(stateStatement);
      const [{ isReadOnly, walFile, system } = noState] = rows;
      const timeline = Number.parseInt(walFile?.slice(0, 8) ?? '0', 16);
      if (isReadOnly) throw notPrimary(`${host}:${port} is a standby`);
      if (timeline < (this.#timelines.get(system) ?? 0)) {
        throw notPrimary(`${host}:${port} is at timeline ${timeline}, behind another primary`);
      }
      this.#timelines.set(system, timeline);
      return { host, port };
    } finally {
      void client.end();
    }
  }
}

/** With the SQLSTATE of a server that has become a standby: callers may retry. */
const notPrimary = (message: string) => Object.assign(new Error(message), { code: '25006' });
