import { resolve } from 'node:path';
import { OperatorError } from '@carte/base/errors';
import { parseJson } from '@carte/base/json';
import { defaultQueryLimits } from '@carte/operations/limits/limits';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseDatabaseUrl } from './database/database-url.ts';
import { defaultDatabaseOptions, defaultGuestOrderLimits, defaultHistoryLimits, defaultMenuLimits } from './limits.ts';

const integer = (min: number, max: number) => {
  const rule = {
    error: ({ input }: { readonly input?: unknown }) =>
      `is "${input}"; it must be a whole number from ${min} to ${max}`,
  };
  return z.string().regex(/^\d+$/, rule).transform(Number).pipe(z.number().min(min, rule).max(max, rule));
};

const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: ({ input }) => `is "${input}"; it must be one of ${values.join(', ')}` });

const onOff = (fallback: 'on' | 'off') =>
  oneOf(['on', 'off'])
    .default(fallback)
    .transform(value => value === 'on');

const path = z.string().transform(value => resolve(value));

// An address may hold a password, so messages do not repeat it.
const databaseUrl = z.string().refine(text => parseDatabaseUrl(text) !== undefined, {
  error: 'is not a PostgreSQL URL such as postgresql://user:password@host:5432/database',
});

/** Carte writes, so it connects to the primary also where the URL does not ask for it. */
const primaryUrl = databaseUrl.refine(
  text => ['any', 'read-write', 'primary'].includes(parseDatabaseUrl(text)?.targetSessionAttrs ?? 'any'),
  { error: 'has a target_session_attrs that excludes the primary; it must be read-write, primary or any' },
);

const origin = z.string().refine(text => text === '*' || (URL.canParse(text) && new URL(text).origin === text), {
  error: ({ input }) => `has "${input}"; an origin is * or such as https://shop.example`,
});

const ownOrigin = z.string().refine(text => URL.parse(text)?.origin === text && text.startsWith('http'), {
  error: ({ input }) => `has "${input}"; an origin is such as https://carte.example`,
});

const httpUrl = (example: string) =>
  z.string().refine(text => /^https?:/.test(text) && URL.parse(text)?.username === '', {
    error: `is not a URL without user and password, such as ${example}`,
  });

/** How a cache is purged: `tags` take the place of {tags} and {tagsJson}. */
const purgeTemplate = z.strictObject({
  method: z
    .string()
    .regex(/^[A-Z]+$/)
    .default('POST'),
  headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t -~]*$/)).default({}),
  body: z.string().optional(),
});

/** Messages do not repeat it, since its headers may hold a token. */
const purgeRequest = z.string().transform((text, context) => {
  const { data, error } = purgeTemplate.safeParse(parsedOr(undefined, text));
  if (data && /\{tags(?:Json)?\}/.test(text)) return data;
  const issues = error?.issues ?? [{ path: [], message: 'neither a header nor the body has {tags} or {tagsJson}' }];
  for (const { path: at, message } of issues) {
    const place = at.length > 0 ? `${at.join('.')}: ` : '';
    context.addIssue(`is not such as {"headers":{"token":"…"},"body":"{tags}"}: ${place}${message}`);
  }
  return z.NEVER;
});

function parsedOr(fallback: unknown, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return fallback;
  }
}

// As those of webhooks; messages do not repeat it.
const signingSecret = z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
  error: 'is not whsec_ and at least 24 random bytes in base64, e.g. of `openssl rand -base64 32`',
});

// Messages do not repeat it.
const purgeSecret = z.string().regex(/^[\w+/=-]{24,200}$/, {
  error: 'is not 24 to 200 characters of base64, e.g. of `openssl rand -base64 32`',
});

const network = z.string().refine(text => ipaddr.isValidCIDR(text), {
  error: ({ input }) => `has "${input}"; a network is such as 10.20.0.0/16, a single address 10.20.0.5/32`,
});

const listOf = <T extends z.ZodType<string, string>>(element: T) =>
  z
    .string()
    .default('')
    .transform((text): readonly string[] => text.split(',').flatMap(part => part.trim() || []))
    .pipe(z.array(element).readonly());

/** An environment variable, and what it may be. */
interface Setting<Value = unknown> {
  readonly variable: string;
  readonly schema: z.ZodType<Value>;
}

const env = <Value>(variable: string, schema: z.ZodType<Value>): Setting<Value> => ({ variable, schema });
const isSetting = (value: object): value is Setting => 'variable' in value;

/** The environment variables. `docs/settings.md` has these comments: `npx vitest run test/docs/settings.test.ts -u`. */
export const settings = {
  /** Address to listen on. @see docs/operating.md#starting */
  host: env('HOST', z.string().default('127.0.0.1')),
  /** Port to listen on; 0 selects a free one. @see docs/operating.md#starting */
  port: env('PORT', integer(0, 65_535).default(4000)),
  /** Worker processes that share the port; with more than one, a primary process starts them. @see docs/scaling-and-failover.md#worker-processes */
  processes: env('CARTE_PROCESSES', integer(1, 256).default(1)),
  /** The URL of PostgreSQL; unset: the embedded one in `CARTE_DATA`. @see docs/operating.md#starting */
  databaseUrl: env('DATABASE_URL', primaryUrl.optional()),
  /** PostgreSQL itself, where `DATABASE_URL` is a PgBouncer: for the one connection that moves and reads events. @see docs/scaling-and-failover.md#pgbouncer */
  listenUrl: env('DATABASE_LISTEN_URL', primaryUrl.optional()),
  /** Read replicas; a comma within a URL is `%2C`. @see docs/scaling-and-failover.md#read-replicas */
  replicaUrls: env('DATABASE_REPLICA_URLS', listOf(databaseUrl)),
  /** Connections of each process to the database, and to each replica; one more is for events. @see docs/scaling-and-failover.md#processes */
  poolSize: env('DATABASE_POOL_SIZE', integer(2, 1000).default(defaultDatabaseOptions.poolSize)),
  /** Whether to prepare statements, which some PgBouncers in transaction mode do not support. @see docs/scaling-and-failover.md#pgbouncer */
  prepare: env('DATABASE_PREPARE', onOff('on')),
  /** Seconds for a statement of a request; beyond it 503. @see docs/operating.md#failure-modes */
  statementSeconds: env(
    'DATABASE_STATEMENT_TIMEOUT',
    integer(1, 3600).default(defaultDatabaseOptions.statementSeconds),
  ),
  /** Seconds to wait for a connection, pooled or new; beyond it 503. @see docs/operating.md#failure-modes */
  connectionSeconds: env(
    'DATABASE_CONNECTION_TIMEOUT',
    integer(1, 300).default(defaultDatabaseOptions.connectionSeconds),
  ),
  /** Seconds for which a key is cached, so that a revoked one remains valid for up to this long. @see docs/operating.md#keys */
  keyCacheTtlSeconds: env('CARTE_KEY_CACHE_TTL_SECONDS', integer(0, 5).default(3)),
  /** Bytes of the response cache of each process; 0 disables it. @see docs/operating.md#memory */
  cacheBytes: env('CARTE_CACHE_BYTES', integer(0, 64 * 1024 ** 3).default(128 * 1024 * 1024)),
  keepEvents: {
    /** Days for which events are kept. @see docs/webhooks-and-events.md#retention */
    days: env('CARTE_EVENTS_KEEP_DAYS', integer(1, 365).default(7)),
    /** Events that are kept at most, some 310 bytes each. @see docs/webhooks-and-events.md#retention */
    events: env('CARTE_EVENTS_MAX', integer(1_000, 1e12).default(100_000_000)),
  },
  orderRetention: {
    /** Days after which completed orders are anonymized; unset: never. @see docs/operating.md#retention-of-orders */
    anonymizeDays: env('CARTE_ORDERS_ANONYMIZE_DAYS', integer(1, 36_500).optional()),
    /** Days after which orders are deleted; unset: never. @see docs/operating.md#retention-of-orders */
    keepDays: env('CARTE_ORDERS_KEEP_DAYS', integer(1, 36_500).optional()),
  },
  streams: {
    /** Open streams of each process; beyond it 503. @see docs/limits.md#streams */
    total: env('CARTE_STREAMS', integer(0, 1_000_000).default(5_000)),
    /** Open streams of one key in each process; beyond it 429. @see docs/limits.md#streams */
    perKey: env('CARTE_STREAMS_PER_KEY', integer(1, 1_000_000).default(100)),
    /** Open streams of one address with a publishable key; beyond it 429. @see docs/limits.md#streams */
    perAddress: env('CARTE_STREAMS_PER_ADDRESS', integer(1, 1_000_000).default(5)),
    /** Cost of the events that are delivered to one key in a second, in each process; beyond it its streams wait. @see docs/limits.md#streams */
    costPerSecond: env('CARTE_STREAM_COST_PER_SECOND', integer(1_000, 1e12).default(50_000)),
    /** Events that wait in memory for a slow reader; further ones are read from the log. @see docs/limits.md#streams */
    buffer: env('CARTE_STREAM_BUFFER', integer(1, 1_000_000).default(1_000)),
    /** Seconds for which a reader may take no event before its stream is cut with `STREAM_CUT`. @see docs/limits.md#streams */
    stallSeconds: env('CARTE_STREAM_STALL_SECONDS', integer(0, 3_600).default(30)),
  },
  menuLimits: {
    /** Entities of a menu configuration; beyond it 422 `too_long`. @see docs/interface.md#size */
    entities: env('CARTE_MENU_ENTITIES', integer(1, 1e9).default(defaultMenuLimits.entities)),
    /** Links of a menu configuration; beyond it 422 `too_long`. @see docs/interface.md#size */
    links: env('CARTE_MENU_LINKS', integer(0, 1e9).default(defaultMenuLimits.links)),
    /** Nodes of the tree of a menu configuration; beyond it 422 `too_long`. @see docs/interface.md#size */
    treeNodes: env('CARTE_MENU_TREE_NODES', integer(1, 1e9).default(defaultMenuLimits.treeNodes)),
    /** Bytes of the tree of a menu configuration as JSON; beyond it 422 `too_long`. @see docs/interface.md#size */
    treeBytes: env('CARTE_MENU_TREE_BYTES', integer(1024, 1e12).default(defaultMenuLimits.treeBytes)),
  },
  historyLimits: {
    /** Revisions of each store that are kept, the current one included. @see docs/menu-history.md#what-is-kept */
    revisions: env('CARTE_MENU_HISTORY_REVISIONS', integer(1, 100_000).default(defaultHistoryLimits.revisions)),
    /** Days for which a revision is kept after another one has replaced it. @see docs/menu-history.md#what-is-kept */
    days: env('CARTE_MENU_HISTORY_DAYS', integer(1, 36_500).default(defaultHistoryLimits.days)),
    /** Bytes of all changes of each store as JSON, before PostgreSQL compresses it. @see docs/menu-history.md#what-is-kept */
    bytes: env('CARTE_MENU_HISTORY_BYTES', integer(0, 1e9).default(defaultHistoryLimits.bytes)),
  },
  /** Folder of the embedded PostgreSQL. @see docs/operating.md#starting */
  dataFolder: env(
    'CARTE_DATA',
    path.default(() => resolve('.carte')),
  ),
  /** Whether an empty embedded database gets the demo restaurants. @see docs/operating.md#starting */
  demo: env('CARTE_DEMO', onOff('on')),
  /** What is logged, as JSON lines on standard error. @see docs/operating.md#monitoring */
  logLevel: env('CARTE_LOG_LEVEL', oneOf(['silent', 'error', 'warn', 'info', 'debug']).default('warn')),
  /** Bytes of the body of a request; beyond it 413. @see docs/limits.md#requests */
  bodyLimit: env('CARTE_BODY_LIMIT', integer(1024, 1024 ** 3).default(10 * 1024 * 1024)),
  /** Whether the schema is public, by introspection and at `/schema.graphql`; `_service` of a subgraph stays, for secret keys. @see docs/front-end.md#first-query */
  introspection: env('CARTE_INTROSPECTION', onOff('on')),
  /** Whether the graph is a subgraph of Apollo Federation. @see docs/operating.md#a-subgraph */
  subgraph: env('CARTE_SUBGRAPH', onOff('off')),
  http: {
    /** Seconds to receive a request, headers and body; raise it for POS systems on slow connections; beyond it 408. @see docs/limits.md#requests */
    receiveSeconds: env('CARTE_RECEIVE_SECONDS', integer(1, 600).default(9)),
    /** Keep-alive timeout; must be longer than that of the proxy in front. @see docs/limits.md#requests */
    keepAliveSeconds: env('CARTE_KEEP_ALIVE_SECONDS', integer(1, 3600).default(72)),
    /** Connections of clients, over all workers; further ones are closed at once. @see docs/limits.md#requests */
    maxConnections: env('CARTE_MAX_CONNECTIONS', integer(1, 1_000_000).default(10_000)),
    /**
     * Origins whose pages may call with any secret key, such as `https://office.example`, or `*`; pages for guests use publishable keys. @see
     * docs/operating.md#publishable-keys
     */
    corsOrigins: env('CARTE_CORS_ORIGINS', listOf(origin)),
    /** Origins under which the service's own pages are reached, such as `https://carte.example`; unset: the address listened on. @see docs/operating.md#own-pages */
    ownOrigins: env('CARTE_OWN_ORIGINS', listOf(ownOrigin)),
  },
  loadLimits: {
    /** Requests and statements that wait for their turn or a connection; beyond it 503. @see docs/limits.md#requests */
    maxWaiting: env('CARTE_MAX_WAITING', integer(1, 1_000_000).default(500)),
    /** Event loop delay in milliseconds, averaged over a second; beyond it 503. @see docs/limits.md#requests */
    maxDelayMs: env('CARTE_MAX_DELAY_MS', integer(50, 60_000).default(1000)),
  },
  shares: {
    /** Requests of one key that are executed at a time in each process; further ones wait. @see docs/limits.md#fair-shares */
    requestsPerKey: env('CARTE_REQUESTS_PER_KEY', integer(1, 100_000).default(8)),
    /** Expensive requests of all keys that are executed at a time in each process; further ones wait. @see docs/limits.md#fair-shares */
    expensive: env('CARTE_EXPENSIVE_REQUESTS', integer(1, 1000).default(4)),
  },
  /** Requests per key, minute and process; beyond it 429; 0: unlimited. @see docs/limits.md#requests */
  rateLimit: env('CARTE_RATE_LIMIT', integer(0, 1e9).default(0)),
  /** Requests without a valid key per address (IPv6: per /64), minute and process; beyond it 429; 0: unlimited. @see docs/limits.md#requests */
  addressRateLimit: env('CARTE_ADDRESS_RATE_LIMIT', integer(0, 1e9).default(300)),
  /** Requests with a publishable key per key, address, minute and process; beyond it 429; 0: unlimited. @see docs/limits.md#requests */
  publishableRateLimit: env('CARTE_PUBLISHABLE_RATE_LIMIT', integer(0, 1e9).default(600)),
  guestOrders: {
    /** Orders of guests that one address attempts with a key in an hour; beyond it 429; 0: unlimited. @see docs/operating.md#orders-of-guests */
    perAddress: env('CARTE_GUEST_ORDERS_PER_ADDRESS', integer(0, 1e9).default(defaultGuestOrderLimits.perAddress)),
    /** Orders of guests that are placed with one key in an hour; beyond it 429; 0: unlimited. @see docs/operating.md#orders-of-guests */
    perKey: env('CARTE_GUEST_ORDERS_PER_KEY', integer(0, 1e9).default(defaultGuestOrderLimits.perKey)),
    /** Orders of guests that are placed at one store in an hour; beyond it 429; 0: unlimited. @see docs/operating.md#orders-of-guests */
    perStore: env('CARTE_GUEST_ORDERS_PER_STORE', integer(0, 1e9).default(defaultGuestOrderLimits.perStore)),
    /**
     * Orders of one address and key of the last day that the store has neither accepted nor rejected; beyond it 429; 0: unlimited. @see
     * docs/operating.md#orders-of-guests
     */
    pendingPerAddress: env(
      'CARTE_GUEST_ORDERS_PENDING_PER_ADDRESS',
      integer(0, 1e9).default(defaultGuestOrderLimits.pendingPerAddress),
    ),
    /** Orders of all guests of the last day that a store has neither accepted nor rejected; beyond it 429; 0: unlimited. @see docs/operating.md#orders-of-guests */
    pendingPerStore: env(
      'CARTE_GUEST_ORDERS_PENDING_PER_STORE',
      integer(0, 1e9).default(defaultGuestOrderLimits.pendingPerStore),
    ),
    /** Units in an order of a guest, the sum of the quantities of its lines; 0: unlimited. @see docs/operating.md#orders-of-guests */
    units: env('CARTE_GUEST_ORDER_UNITS', integer(0, 1e9).default(defaultGuestOrderLimits.units)),
  },
  guestOrderCheck: {
    /** Address that checks a guest's order before it is stored; unset: none. @see docs/operating.md#orders-of-guests */
    url: env('CARTE_GUEST_ORDER_CHECK', httpUrl('https://shop.example/check-order').optional()),
    /** With which the request to that address is signed. @see docs/operating.md#orders-of-guests */
    secret: env('CARTE_GUEST_ORDER_CHECK_SECRET', signingSecret.optional()),
    /** Seconds for its response. @see docs/operating.md#orders-of-guests */
    seconds: env('CARTE_GUEST_ORDER_CHECK_SECONDS', integer(1, 60).default(5)),
  },
  /**
   * Networks of the proxies in front, such as `10.0.0.0/8`: only these may set the client's address in `X-Forwarded-For`, and the host in
   * `X-Forwarded-Host`. @see docs/limits.md#requests
   */
  trustedProxies: env('CARTE_TRUST_PROXY', listOf(network)),
  /** Whether there is `/metrics`. @see docs/operating.md#monitoring */
  metrics: env('CARTE_METRICS', onOff('on')),
  /** OpenTelemetry collector for traces, such as `http://127.0.0.1:4318`; the other `OTEL_*` variables of the SDK also apply. @see docs/operating.md#monitoring */
  tracing: env(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    z
      .string()
      .optional()
      .transform(endpoint => endpoint !== undefined),
  ),
  shutdown: {
    /** Graceful shutdown timeout; three quarters of it are for draining connections. @see docs/operating.md#health-checks-and-graceful-shutdown */
    seconds: env('CARTE_SHUTDOWN_SECONDS', integer(1, 3600).default(20)),
    /** Seconds between failing readiness and draining, in which requests are served as before. @see docs/operating.md#health-checks-and-graceful-shutdown */
    delaySeconds: env('CARTE_SHUTDOWN_DELAY_SECONDS', integer(0, 600).default(0)),
  },
  graphqlLimits: {
    /** Depth of nested fields; beyond it `QUERY_TOO_DEEP`. @see docs/limits.md#graphql-documents */
    depth: env('CARTE_GRAPHQL_DEPTH', integer(1, 100).default(defaultQueryLimits.depth)),
    /** Cost of an operation; beyond it `QUERY_TOO_COMPLEX`. @see docs/limits.md#cost */
    cost: env('CARTE_GRAPHQL_COST', integer(1, 1e12).default(defaultQueryLimits.cost)),
    /** Cost of the selection of a subscription; beyond it `QUERY_TOO_COMPLEX`. @see docs/limits.md#streams */
    streamCost: env('CARTE_STREAM_COST', integer(1, 1e12).default(defaultQueryLimits.streamCost)),
    /** Aliases in a document; beyond it `TOO_MANY_ALIASES`. @see docs/limits.md#graphql-documents */
    aliases: env('CARTE_GRAPHQL_ALIASES', integer(0, 10_000).default(defaultQueryLimits.aliases)),
    /** Objects in the lists of one response; beyond it `RESPONSE_TOO_LARGE`. @see docs/limits.md#response-size */
    objects: env('CARTE_GRAPHQL_OBJECTS', integer(1, 1e9).default(250_000)),
  },
  /** File with the only GraphQL documents to execute; unset: any document. @see docs/typed-clients.md#trusted-documents */
  trustedDocuments: env('CARTE_TRUSTED_DOCUMENTS', path.optional()),
  /** Folders with your own operations: routes beside `/v1`. @see docs/operations.md */
  operations: env('CARTE_OPERATIONS', listOf(path)),
  mcp: {
    /** Whether there are tools for agents at `/mcp`. @see docs/operations.md#tools-for-agents */
    enabled: env('CARTE_MCP', onOff('off')),
    /** Bytes of a result of these tools. @see docs/operations.md#tools-for-agents */
    resultBytes: env('CARTE_MCP_RESULT_BYTES', integer(1024, 1e9).default(64 * 1024)),
  },
  edge: {
    /**
     * Seconds for which a cache in front may store a response to a publishable key in the URL; 0: not at all. @see
     * docs/scaling-and-failover.md#caches-at-the-edge
     */
    seconds: env('CARTE_EDGE_SECONDS', integer(0, 31_536_000).default(60)),
    /** Seconds beyond that, while the cache fetches a newer one. @see docs/scaling-and-failover.md#caches-at-the-edge */
    staleSeconds: env('CARTE_EDGE_STALE_SECONDS', integer(0, 86_400).default(10)),
    /** Kind of caches that are purged of what has changed; unset: none. @see docs/scaling-and-failover.md#caches-at-the-edge */
    purge: env('CARTE_EDGE_PURGE', oneOf(['varnish', 'http']).optional()),
    /** Addresses of the caches; each gets every purge. @see docs/scaling-and-failover.md#caches-at-the-edge */
    urls: env('CARTE_EDGE_PURGE_URLS', listOf(httpUrl('https://varnish.example/'))),
    /**
     * With `varnish`: sent with each purge in `x-purge-secret`; without it, a Varnish with our VCL refuses purges. @see
     * docs/scaling-and-failover.md#caches-at-the-edge
     */
    secret: env('CARTE_EDGE_PURGE_SECRET', purgeSecret.optional()),
    /**
     * With `http`: JSON with `method` (`POST` unless given), `headers` and `body`; `{tags}` in these is the list of tags with spaces, `{tagsJson}` a JSON
     * list. @see docs/scaling-and-failover.md#caches-at-the-edge
     */
    request: env('CARTE_EDGE_PURGE_REQUEST', purgeRequest.optional()),
    /** Seconds after which a purge is repeated, for responses that were under way. @see docs/scaling-and-failover.md#caches-at-the-edge */
    againSeconds: env('CARTE_EDGE_PURGE_AGAIN_SECONDS', integer(1, 3600).default(10)),
  },
  webhooks: {
    /** Whether this process delivers events; otherwise they wait for one that does. @see docs/webhooks-and-events.md */
    deliver: env('CARTE_WEBHOOKS', onOff('on')),
    /** Whether webhooks may also use `http:`. @see docs/webhooks-and-events.md#addresses */
    allowHttp: env('CARTE_WEBHOOK_ALLOW_HTTP', onOff('off')),
    /**
     * Networks that webhooks may lead to although they are not public, with any port, such as `10.20.0.0/16,fd12:3456::/32` for POS systems in a VPN;
     * commands that create or test webhooks also need it. @see docs/webhooks-and-events.md#addresses
     */
    allowNetworks: env('CARTE_WEBHOOK_ALLOW_NETWORKS', listOf(network)),
  },
};

type ValuesOf<Settings> =
  Settings extends Setting<infer Value> ? Value : { readonly [Name in keyof Settings]: ValuesOf<Settings[Name]> };

export type Config = ValuesOf<typeof settings>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from the environment; throws one error that names every invalid one. */
export function readConfig(environment: Environment): Config {
  // The old name of a setting is still accepted.
  const given: Environment = { CARTE_KEY_CACHE_TTL_SECONDS: environment.CARTE_KEY_SECONDS, ...environment };
  const errors: string[] = [];
  const read = (setting: object): unknown => {
    if (!isSetting(setting)) {
      return Object.fromEntries(Object.entries(setting).map(([name, inner]) => [name, read(inner)]));
    }
    // An empty variable counts as unset.
    const { data, error } = setting.schema.safeParse(given[setting.variable] || undefined);
    errors.push(...(error?.issues ?? []).map(issue => messageOf(setting.variable, issue)));
    return data;
  };
  const config = read(settings) as Config;
  for (const name of ['DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URLS']) {
    if (given[name] && !given.DATABASE_URL) errors.push(`${name} is set, but DATABASE_URL is not`);
  }
  if (given.CARTE_GUEST_ORDER_CHECK && !given.CARTE_GUEST_ORDER_CHECK_SECRET) {
    errors.push('CARTE_GUEST_ORDER_CHECK is set, but CARTE_GUEST_ORDER_CHECK_SECRET is not');
  }
  if (given.CARTE_EDGE_PURGE && !given.CARTE_EDGE_PURGE_URLS) {
    errors.push('CARTE_EDGE_PURGE is set, but CARTE_EDGE_PURGE_URLS is not');
  }
  if ((given.CARTE_EDGE_PURGE === 'http') !== Boolean(given.CARTE_EDGE_PURGE_REQUEST)) {
    errors.push('CARTE_EDGE_PURGE_REQUEST and CARTE_EDGE_PURGE=http need each other');
  }
  if (given.CARTE_EDGE_PURGE_SECRET && given.CARTE_EDGE_PURGE !== 'varnish') {
    errors.push('CARTE_EDGE_PURGE_SECRET is for CARTE_EDGE_PURGE=varnish; CARTE_EDGE_PURGE_REQUEST has its own token');
  }
  if (errors.length > 0) throw new OperatorError(`Bad configuration:\n  ${errors.join('\n  ')}`);
  return config;
}

/** For so long prices may be wrong without anybody noticing. */
const longLifetimeSeconds = 3_600;

/** What is allowed, and yet probably not meant. */
export function warningsOf({ edge: { seconds, purge, urls, secret } }: Config): string[] {
  const warnings: string[] = [];
  if (urls.length > 0 && !purge) {
    warnings.push('CARTE_EDGE_PURGE_URLS is set, but CARTE_EDGE_PURGE is not: no cache is purged');
  }
  if (seconds >= longLifetimeSeconds && !purge) {
    warnings.push(
      `CARTE_EDGE_SECONDS is ${seconds} without CARTE_EDGE_PURGE: for so long guests may see old prices, and a key that was revoked shows menus`,
    );
  }
  if (purge === 'varnish' && secret === undefined) {
    warnings.push(
      'CARTE_EDGE_PURGE_SECRET is not set: whoever can send requests to Varnish from the addresses of its purgers can purge it, also through a ' +
        'TLS proxy on the same machine. deploy/edge/varnish.vcl asks for the secret',
    );
  }
  return warnings;
}

function messageOf(variable: string, { path: [index], message }: z.core.$ZodIssue): string {
  const isReplica = variable === 'DATABASE_REPLICA_URLS' && typeof index === 'number';
  return `${variable}${isReplica ? `, number ${index + 1},` : ''} ${message}`;
}
