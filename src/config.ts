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

/** The environment variables; `docs/operating.md` describes them. */
const settings = {
  host: env('HOST', z.string().default('127.0.0.1')),
  port: env('PORT', integer(0, 65_535).default(4000)),
  /** Worker processes; with more than one, a primary process listens and starts them. */
  processes: env('CARTE_PROCESSES', integer(1, 256).default(1)),
  /** Absent: the embedded server in `dataFolder`. */
  databaseUrl: env('DATABASE_URL', primaryUrl.optional()),
  /** For the connection that waits for notifications, where `databaseUrl` is a PgBouncer. */
  listenUrl: env('DATABASE_LISTEN_URL', primaryUrl.optional()),
  replicaUrls: env('DATABASE_REPLICA_URLS', listOf(databaseUrl)),
  poolSize: env('DATABASE_POOL_SIZE', integer(2, 1000).default(defaultDatabaseOptions.poolSize)),
  /** Whether to use named prepared statements, which some PgBouncers in transaction mode do not support. */
  prepare: env('DATABASE_PREPARE', onOff('on')),
  /** Time limit for a statement of a request. */
  statementSeconds: env(
    'DATABASE_STATEMENT_TIMEOUT',
    integer(1, 3600).default(defaultDatabaseOptions.statementSeconds),
  ),
  /** Time limit for getting a connection from the pool. */
  connectionSeconds: env(
    'DATABASE_CONNECTION_TIMEOUT',
    integer(1, 300).default(defaultDatabaseOptions.connectionSeconds),
  ),
  keyCacheTtlSeconds: env('CARTE_KEY_CACHE_TTL_SECONDS', integer(0, 5).default(3)),
  /** Size of the response cache; 0 disables it. */
  cacheBytes: env('CARTE_CACHE_BYTES', integer(0, 64 * 1024 ** 3).default(128 * 1024 * 1024)),
  /** How much of the event log is kept. */
  keepEvents: {
    days: env('CARTE_EVENTS_KEEP_DAYS', integer(1, 365).default(7)),
    events: env('CARTE_EVENTS_MAX', integer(1_000, 1e12).default(100_000_000)),
  },
  /** After so many days orders are anonymized, or deleted; absent: never. */
  orderRetention: {
    anonymizeDays: env('CARTE_ORDERS_ANONYMIZE_DAYS', integer(1, 36_500).optional()),
    keepDays: env('CARTE_ORDERS_KEEP_DAYS', integer(1, 36_500).optional()),
  },
  /** Limits on the streams of subscriptions in each process. */
  streams: {
    total: env('CARTE_STREAMS', integer(0, 1_000_000).default(5_000)),
    perKey: env('CARTE_STREAMS_PER_KEY', integer(1, 1_000_000).default(100)),
    /** Of one publishable key and client address. */
    perAddress: env('CARTE_STREAMS_PER_ADDRESS', integer(1, 1_000_000).default(5)),
    /** Of the events that are delivered to one key. */
    costPerSecond: env('CARTE_STREAM_COST_PER_SECOND', integer(1_000, 1e12).default(50_000)),
    /** Events that wait in memory for a slow reader; further ones wait in the log. */
    buffer: env('CARTE_STREAM_BUFFER', integer(1, 1_000_000).default(1_000)),
    /** For how long a reader may take none of them before its stream is cut. */
    stallSeconds: env('CARTE_STREAM_STALL_SECONDS', integer(0, 3_600).default(30)),
  },
  menuLimits: {
    entities: env('CARTE_MENU_ENTITIES', integer(1, 1e9).default(defaultMenuLimits.entities)),
    links: env('CARTE_MENU_LINKS', integer(0, 1e9).default(defaultMenuLimits.links)),
    treeNodes: env('CARTE_MENU_TREE_NODES', integer(1, 1e9).default(defaultMenuLimits.treeNodes)),
    treeBytes: env('CARTE_MENU_TREE_BYTES', integer(1024, 1e12).default(defaultMenuLimits.treeBytes)),
  },
  /** For each store. */
  historyLimits: {
    revisions: env('CARTE_MENU_HISTORY_REVISIONS', integer(1, 100_000).default(defaultHistoryLimits.revisions)),
    days: env('CARTE_MENU_HISTORY_DAYS', integer(1, 36_500).default(defaultHistoryLimits.days)),
    bytes: env('CARTE_MENU_HISTORY_BYTES', integer(0, 1e9).default(defaultHistoryLimits.bytes)),
  },
  dataFolder: env(
    'CARTE_DATA',
    path.default(() => resolve('.carte')),
  ),
  demo: env('CARTE_DEMO', onOff('on')),
  logLevel: env('CARTE_LOG_LEVEL', oneOf(['silent', 'error', 'warn', 'info', 'debug']).default('warn')),
  /** In bytes. */
  bodyLimit: env('CARTE_BODY_LIMIT', integer(1024, 1024 ** 3).default(10 * 1024 * 1024)),
  introspection: env('CARTE_INTROSPECTION', onOff('on')),
  /** Whether the graph is a subgraph of Apollo Federation. */
  subgraph: env('CARTE_SUBGRAPH', onOff('off')),
  http: {
    /** Time limit for receiving a request, headers and body. */
    receiveSeconds: env('CARTE_RECEIVE_SECONDS', integer(1, 600).default(9)),
    keepAliveSeconds: env('CARTE_KEEP_ALIVE_SECONDS', integer(1, 3600).default(72)),
    maxConnections: env('CARTE_MAX_CONNECTIONS', integer(1, 1_000_000).default(10_000)),
    /** Allowed origins; `*` allows all, and an empty list disables CORS. */
    corsOrigins: env('CARTE_CORS_ORIGINS', listOf(origin)),
    /** Origins of the pages of the service itself; empty: the address that it listens on. */
    ownOrigins: env('CARTE_OWN_ORIGINS', listOf(ownOrigin)),
  },
  /** Above one of these, requests are rejected with 503. */
  loadLimits: {
    /** Requests that wait for their turn, and statements that wait for a connection. */
    maxWaiting: env('CARTE_MAX_WAITING', integer(1, 1_000_000).default(500)),
    /** Event loop delay, averaged over a second. */
    maxDelayMs: env('CARTE_MAX_DELAY_MS', integer(50, 60_000).default(1000)),
  },
  /** Beyond these, requests wait, those of each key in turn. */
  shares: {
    /** Requests of one key that are executed at a time. */
    requestsPerKey: env('CARTE_REQUESTS_PER_KEY', integer(1, 100_000).default(8)),
    /** Expensive requests of all keys that are executed at a time. */
    expensive: env('CARTE_EXPENSIVE_REQUESTS', integer(1, 1000).default(4)),
  },
  /** Requests per key, minute and process; 0 disables the limit. */
  rateLimit: env('CARTE_RATE_LIMIT', integer(0, 1e9).default(0)),
  /** Requests without a valid key, per client address, minute and process; 0 disables the limit. */
  addressRateLimit: env('CARTE_ADDRESS_RATE_LIMIT', integer(0, 1e9).default(300)),
  /** Requests with a publishable key, per key, client address, minute and process; 0 disables the limit. */
  publishableRateLimit: env('CARTE_PUBLISHABLE_RATE_LIMIT', integer(0, 1e9).default(600)),
  /** Limits on orders with publishable keys; 0 disables one. */
  guestOrders: {
    perAddress: env('CARTE_GUEST_ORDERS_PER_ADDRESS', integer(0, 1e9).default(defaultGuestOrderLimits.perAddress)),
    perKey: env('CARTE_GUEST_ORDERS_PER_KEY', integer(0, 1e9).default(defaultGuestOrderLimits.perKey)),
    perStore: env('CARTE_GUEST_ORDERS_PER_STORE', integer(0, 1e9).default(defaultGuestOrderLimits.perStore)),
    pendingPerAddress: env(
      'CARTE_GUEST_ORDERS_PENDING_PER_ADDRESS',
      integer(0, 1e9).default(defaultGuestOrderLimits.pendingPerAddress),
    ),
    pendingPerStore: env(
      'CARTE_GUEST_ORDERS_PENDING_PER_STORE',
      integer(0, 1e9).default(defaultGuestOrderLimits.pendingPerStore),
    ),
    units: env('CARTE_GUEST_ORDER_UNITS', integer(0, 1e9).default(defaultGuestOrderLimits.units)),
  },
  /** A request to the operator before a guest's order is stored; absent: none. */
  guestOrderCheck: {
    url: env('CARTE_GUEST_ORDER_CHECK', httpUrl('https://shop.example/check-order').optional()),
    /** With which it is signed. */
    secret: env('CARTE_GUEST_ORDER_CHECK_SECRET', signingSecret.optional()),
    seconds: env('CARTE_GUEST_ORDER_CHECK_SECONDS', integer(1, 60).default(5)),
  },
  /** CIDR blocks of the proxies whose X-Forwarded-For counts. */
  trustedProxies: env('CARTE_TRUST_PROXY', listOf(network)),
  metrics: env('CARTE_METRICS', onOff('on')),
  /** Whether to export traces; the OpenTelemetry SDK reads the OTEL_* variables itself. */
  tracing: env(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    z
      .string()
      .optional()
      .transform(endpoint => endpoint !== undefined),
  ),
  shutdown: {
    seconds: env('CARTE_SHUTDOWN_SECONDS', integer(1, 3600).default(20)),
    delaySeconds: env('CARTE_SHUTDOWN_DELAY_SECONDS', integer(0, 600).default(0)),
  },
  /** Limits for one GraphQL document. */
  graphqlLimits: {
    depth: env('CARTE_GRAPHQL_DEPTH', integer(1, 100).default(defaultQueryLimits.depth)),
    cost: env('CARTE_GRAPHQL_COST', integer(1, 1e12).default(defaultQueryLimits.cost)),
    streamCost: env('CARTE_STREAM_COST', integer(1, 1e12).default(defaultQueryLimits.streamCost)),
    aliases: env('CARTE_GRAPHQL_ALIASES', integer(0, 10_000).default(defaultQueryLimits.aliases)),
    /** In the lists of one response. */
    objects: env('CARTE_GRAPHQL_OBJECTS', integer(1, 1e9).default(250_000)),
  },
  /** File that lists the only GraphQL documents to execute; absent: any document. */
  trustedDocuments: env('CARTE_TRUSTED_DOCUMENTS', path.optional()),
  /** Folders with sets of operations, beside those that come with Carte. */
  operations: env('CARTE_OPERATIONS', listOf(path)),
  /** Tools for agents at `/mcp`, and the size of a result that they get. */
  mcp: {
    enabled: env('CARTE_MCP', onOff('off')),
    resultBytes: env('CARTE_MCP_RESULT_BYTES', integer(1024, 1e9).default(64 * 1024)),
  },
  /** Responses to guests that caches in front of the service store, and the purges of these caches. */
  edge: {
    /** For so long; 0: none is stored. */
    seconds: env('CARTE_EDGE_SECONDS', integer(0, 31_536_000).default(60)),
    /** For so long beyond that while a newer one is fetched. */
    staleSeconds: env('CARTE_EDGE_STALE_SECONDS', integer(0, 86_400).default(10)),
    /** What kind of caches are purged; absent: none. */
    purge: env('CARTE_EDGE_PURGE', oneOf(['varnish', 'http']).optional()),
    urls: env('CARTE_EDGE_PURGE_URLS', listOf(httpUrl('https://varnish.example/'))),
    /** That Varnish asks for. */
    secret: env('CARTE_EDGE_PURGE_SECRET', purgeSecret.optional()),
    request: env('CARTE_EDGE_PURGE_REQUEST', purgeRequest.optional()),
    /** A purge is repeated after so long, for responses that were under way. */
    againSeconds: env('CARTE_EDGE_PURGE_AGAIN_SECONDS', integer(1, 3600).default(10)),
  },
  webhooks: {
    /** Whether this process delivers events; they can be created in any case. */
    deliver: env('CARTE_WEBHOOKS', onOff('on')),
    allowHttp: env('CARTE_WEBHOOK_ALLOW_HTTP', onOff('off')),
    /** CIDR blocks that webhooks may lead to although they are not public. */
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
