import { resolve } from 'node:path';
import { OperatorError } from './errors.ts';
import { defaultMenuLimits, type MenuLimits } from './menu/limits.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** How many answer requests; with more than one, a further process starts and minds them. */
  readonly processes: number;
  /** Absent: the embedded server in `dataFolder`. */
  readonly databaseUrl: string | undefined;
  readonly replicaUrls: readonly string[];
  readonly poolSize: number;
  /** Whether statements are kept on connections; PgBouncer in transaction mode may not allow it. */
  readonly prepare: boolean;
  /** How long a statement of a request may take. */
  readonly statementSeconds: number;
  /** How long to wait for a connection to the database. */
  readonly connectionSeconds: number;
  /** How long a key that was found is believed. */
  readonly keySeconds: number;
  /** How many bytes of answers are kept; 0 keeps none. */
  readonly cacheBytes: number;
  readonly menuLimits: MenuLimits;
  readonly dataFolder: string;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** In bytes. */
  readonly bodyLimit: number;
  readonly introspection: boolean;
  readonly http: {
    /** How long a request may take to arrive. */
    readonly receiveSeconds: number;
    readonly keepAliveSeconds: number;
    readonly maxConnections: number;
    /** Whose pages may call the service from a browser; `*` is everyone. */
    readonly corsOrigins: readonly string[];
  };
  /** From where on a request is turned away at once. */
  readonly overload: { readonly waiting: number; readonly delayMs: number };
  /** Requests that each key may make in a minute, of each process; 0 is no limit. */
  readonly rateLimit: number;
  readonly metrics: boolean;
  /** Where traces go is in variables that OpenTelemetry reads itself. */
  readonly tracing: boolean;
  readonly shutdown: { readonly seconds: number; readonly delaySeconds: number };
  /** How much one GraphQL document may ask for. */
  readonly graphqlLimits: {
    readonly depth: number;
    readonly cost: number;
    readonly aliases: number;
    /** In lists of one answer. */
    readonly objects: number;
  };
  /** The file that lists the only GraphQL documents to execute; absent: any document. */
  readonly trustedDocuments: string | undefined;
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every setting from the environment and names all errors at once. `docs/operating.md` lists the variables. */
export function readConfig(env: Environment): Config {
  const errors: string[] = [];
  const config: Config = {
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 4000, { min: 0, max: 65_535 }, errors),
    processes: integer(env, 'CARTE_PROCESSES', 1, { min: 1, max: 256 }, errors),
    databaseUrl: databaseUrl(env, errors),
    replicaUrls: replicaUrls(env, errors),
    poolSize: integer(env, 'DATABASE_POOL_SIZE', 10, { min: 2, max: 1000 }, errors),
    prepare: oneOf(env, 'DATABASE_PREPARE', ['on', 'off'], 'on', errors) === 'on',
    statementSeconds: integer(env, 'DATABASE_STATEMENT_TIMEOUT', 30, { min: 1, max: 3600 }, errors),
    connectionSeconds: integer(env, 'DATABASE_CONNECTION_TIMEOUT', 5, { min: 1, max: 300 }, errors),
    keySeconds: integer(env, 'CARTE_KEY_SECONDS', 3, { min: 0, max: 5 }, errors),
    cacheBytes: integer(env, 'CARTE_CACHE_BYTES', 128 * 1024 * 1024, { min: 0, max: 64 * 1024 ** 3 }, errors),
    menuLimits: {
      entities: integer(env, 'CARTE_MENU_ENTITIES', defaultMenuLimits.entities, { min: 1, max: 1e9 }, errors),
      links: integer(env, 'CARTE_MENU_LINKS', defaultMenuLimits.links, { min: 0, max: 1e9 }, errors),
      treeNodes: integer(env, 'CARTE_MENU_TREE_NODES', defaultMenuLimits.treeNodes, { min: 1, max: 1e9 }, errors),
      treeBytes: integer(env, 'CARTE_MENU_TREE_BYTES', defaultMenuLimits.treeBytes, { min: 1024, max: 1e12 }, errors),
    },
    dataFolder: resolve(env.CARTE_DATA || '.carte'),
    demo: oneOf(env, 'CARTE_DEMO', ['on', 'off'], 'on', errors) === 'on',
    logLevel: oneOf(env, 'CARTE_LOG_LEVEL', logLevels, 'warn', errors),
    bodyLimit: integer(env, 'CARTE_BODY_LIMIT', 10 * 1024 * 1024, { min: 1024, max: 1024 ** 3 }, errors),
    introspection: oneOf(env, 'CARTE_INTROSPECTION', ['on', 'off'], 'on', errors) === 'on',
    http: {
      receiveSeconds: integer(env, 'CARTE_RECEIVE_SECONDS', 9, { min: 1, max: 600 }, errors),
      keepAliveSeconds: integer(env, 'CARTE_KEEP_ALIVE_SECONDS', 72, { min: 1, max: 3600 }, errors),
      maxConnections: integer(env, 'CARTE_MAX_CONNECTIONS', 10_000, { min: 1, max: 1_000_000 }, errors),
      corsOrigins: origins(env, errors),
    },
    overload: {
      waiting: integer(env, 'CARTE_MAX_WAITING', 500, { min: 1, max: 1_000_000 }, errors),
      delayMs: integer(env, 'CARTE_MAX_DELAY_MS', 1000, { min: 50, max: 60_000 }, errors),
    },
    rateLimit: integer(env, 'CARTE_RATE_LIMIT', 0, { min: 0, max: 10 ** 9 }, errors),
    metrics: oneOf(env, 'CARTE_METRICS', ['on', 'off'], 'on', errors) === 'on',
    tracing: Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT),
    shutdown: {
      seconds: integer(env, 'CARTE_SHUTDOWN_SECONDS', 20, { min: 1, max: 3600 }, errors),
      delaySeconds: integer(env, 'CARTE_SHUTDOWN_DELAY_SECONDS', 0, { min: 0, max: 600 }, errors),
    },
    graphqlLimits: {
      depth: integer(env, 'CARTE_GRAPHQL_DEPTH', 15, { min: 1, max: 100 }, errors),
      cost: integer(env, 'CARTE_GRAPHQL_COST', 1_000_000, { min: 1, max: 10 ** 12 }, errors),
      objects: integer(env, 'CARTE_GRAPHQL_OBJECTS', 250_000, { min: 1, max: 10 ** 9 }, errors),
      aliases: integer(env, 'CARTE_GRAPHQL_ALIASES', 100, { min: 0, max: 10_000 }, errors),
    },
    trustedDocuments: env.CARTE_TRUSTED_DOCUMENTS ? resolve(env.CARTE_TRUSTED_DOCUMENTS) : undefined,
  };
  if (errors.length > 0) throw new OperatorError(`Bad configuration:\n  ${errors.join('\n  ')}`);
  return config;
}

function integer(
  env: Environment,
  name: string,
  fallback: number,
  { min, max }: { readonly min: number; readonly max: number },
  errors: string[],
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  errors.push(`${name} is "${text}"; it must be a whole number from ${min} to ${max}`);
  return fallback;
}

function oneOf<T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
  errors: string[],
): T {
  const text = env[name];
  if (!text) return fallback;
  const value = allowed.find(candidate => candidate === text);
  if (value === undefined) errors.push(`${name} is "${text}"; it must be one of ${allowed.join(', ')}`);
  return value ?? fallback;
}

function databaseUrl(env: Environment, errors: string[]): string | undefined {
  const text = env.DATABASE_URL;
  if (!text) return undefined;
  if (!isAddress(text)) errors.push(`DATABASE_URL is no ${exampleAddress}`);
  return text;
}

function replicaUrls(env: Environment, errors: string[]): readonly string[] {
  const urls = listOf(env.DATABASE_REPLICA_URLS);
  for (const [index, url] of urls.entries()) {
    if (!isAddress(url)) errors.push(`DATABASE_REPLICA_URLS, number ${index + 1}, is no ${exampleAddress}`);
  }
  if (urls.length > 0 && !env.DATABASE_URL) errors.push('DATABASE_REPLICA_URLS is set, but DATABASE_URL is not');
  return urls;
}

// An address may hold a password: it is never repeated.
const exampleAddress = 'address such as postgresql://user:password@host:5432/database';
const isAddress = (text: string) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);

const listOf = (text = '') =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');

function origins(env: Environment, errors: string[]): readonly string[] {
  const named = listOf(env.CARTE_CORS_ORIGINS);
  for (const origin of named) {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) continue;
    errors.push(`CARTE_CORS_ORIGINS has "${origin}"; an origin is * or such as https://shop.example`);
  }
  return named;
}
