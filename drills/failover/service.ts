import { Address } from '../../support/failover/address.ts';
import type { PostgresNode } from '../../support/failover/postgres.ts';
import { startPgBouncer } from '../../support/pgbouncer.ts';
import type { Program } from '../../support/program.ts';
import { carte, createKey, type Environment, importDocuments, type Server } from '../../support/servers.ts';
import { configuration, marksIn } from '../support/menu.ts';

/** How Carte finds its database: one address, a PgBouncer before it, or a list of hosts. */
export const routes = ['address', 'pgbouncer', 'hosts'] as const;
export type Route = (typeof routes)[number];

export interface Network {
  readonly url: string;
  /** The primary's host is gone; its sessions are cut, or stay open and silent. */
  vanish(sessions: 'cut' | 'open'): void;
  /** The new primary can be found. */
  moveTo(node: PostgresNode): void;
  close(): Promise<void>;
}

/** As docs/scaling-and-failover.md recommends. */
const bouncerSettings = {
  default_pool_size: '20',
  server_login_retry: '1',
  server_connect_timeout: '2',
  query_wait_timeout: '5',
};

const urlOf = ({ host, port }: { readonly host: string; readonly port: number }) =>
  `postgresql://postgres@/carte?host=${encodeURIComponent(host)}&port=${port}`;

/** The way to the primary; `others` are the hosts that may become it. */
export async function openNetwork(
  route: Route,
  primary: PostgresNode,
  others: readonly PostgresNode[],
): Promise<Network> {
  if (route === 'hosts') return openHosts(primary, others);
  const address = await Address.open(primary.port);
  const server = { host: '127.0.0.1', port: address.port, user: 'postgres', database: 'carte' };
  const bouncer = route === 'pgbouncer' ? await startPgBouncer(server, bouncerSettings) : undefined;
  return {
    url: bouncer ? urlOf(bouncer.connection) : address.url,
    vanish(sessions) {
      address.moveTo('refuse');
      if (sessions === 'cut') address.cutSessions();
      else address.silenceSessions();
    },
    moveTo: node => address.moveTo(node.port),
    async close() {
      await bouncer?.stop();
      address.close();
    },
  };
}

async function openHosts(primary: PostgresNode, others: readonly PostgresNode[]): Promise<Network> {
  const hosts = await Promise.all([primary, ...others].map(({ port }) => Address.open(port)));
  const list = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `postgresql://postgres@${list}/carte?target_session_attrs=read-write`,
    vanish(sessions) {
      hosts[0]?.moveTo(sessions === 'cut' ? 'refuse' : 'silent');
      if (sessions === 'cut') hosts[0]?.cutSessions();
      else hosts[0]?.silenceSessions();
    },
    // A promoted standby has its own address; a restored server takes the place of the lost one.
    moveTo(node) {
      if (!others.includes(node)) hosts[0]?.moveTo(node.port);
    },
    async close() {
      for (const host of hosts) host.close();
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly etag: string;
  readonly retryAfter: string | null;
}

/** Two processes of Carte on one database. */
export class Service {
  readonly #servers: Server[] = [];
  readonly #key: string;

  private constructor(key: string) {
    this.#key = key;
  }

  static async start(
    part: Program,
    url: string,
    stores: readonly string[],
    environment: Environment,
  ): Promise<Service> {
    const env = { DATABASE_URL: url, PORT: '0', CARTE_LOG_LEVEL: 'silent', ...environment };
    await carte(['migrate'], env);
    const documents = stores.map(id => ({ id, name: { translations: { en: id } } }));
    await importDocuments('stores', documents, env);
    const service = new Service(await createKey(env, '--write'));
    for (let count = 0; count < 2; count++) service.#servers.push(await part.startServer(env));
    return service;
  }

  get size(): number {
    return this.#servers.length;
  }

  /** A request to one of the processes. */
  async send(
    process: number,
    path: string,
    init: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const server = this.#servers[process % this.#servers.length];
    const headers = { 'x-api-key': this.#key, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${server?.url}${path}`, {
      headers,
      ...(init.body !== undefined && { method: 'POST', body: init.body }),
    });
    return {
      status: response.status,
      text: await response.text(),
      etag: response.headers.get('etag') ?? '',
      retryAfter: response.headers.get('retry-after'),
    };
  }

  /** A menu in which every text bears the mark. */
  post(process: number, store: string, mark: string, headers: Record<string, string> = {}, size = 10): Promise<Reply> {
    return this.send(process, menuOf(store), { body: JSON.stringify(configuration(mark, size)), headers });
  }

  read(process: number, store: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send(process, menuOf(store), { headers });
  }

  async graphql(process: number, query: string, variables: object): Promise<Record<string, unknown>> {
    return JSON.parse((await this.send(process, '/graphql', { body: JSON.stringify({ query, variables }) })).text);
  }
}

const menuOf = (store: string): string => `/v1/stores/${store}/menu_configuration/`;
export const markIn = (text: string): string | undefined => marksIn(text)[0];
