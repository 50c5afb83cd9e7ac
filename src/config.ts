import { resolve } from 'node:path';
import { OperatorError } from './errors.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absent: the embedded server in `dataFolder`. */
  readonly databaseUrl: string | undefined;
  readonly poolSize: number;
  readonly dataFolder: string;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** In bytes. */
  readonly bodyLimit: number;
  readonly introspection: boolean;
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every setting from the environment and names all faults at once. `docs/operating.md` lists the variables. */
export function readConfig(env: Environment): Config {
  const faults: string[] = [];
  const config: Config = {
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 4000, { min: 0, max: 65_535 }, faults),
    databaseUrl: databaseUrl(env, faults),
    poolSize: integer(env, 'DATABASE_POOL_SIZE', 10, { min: 2, max: 1000 }, faults),
    dataFolder: resolve(env.CARTE_DATA || '.carte'),
    demo: oneOf(env, 'CARTE_DEMO', ['on', 'off'], 'on', faults) === 'on',
    logLevel: oneOf(env, 'CARTE_LOG_LEVEL', logLevels, 'warn', faults),
    bodyLimit: integer(env, 'CARTE_BODY_LIMIT', 10 * 1024 * 1024, { min: 1024, max: 1024 ** 3 }, faults),
    introspection: oneOf(env, 'CARTE_INTROSPECTION', ['on', 'off'], 'on', faults) === 'on',
  };
  if (faults.length > 0) throw new OperatorError(`Bad configuration:\n  ${faults.join('\n  ')}`);
  return config;
}

function integer(
  env: Environment,
  name: string,
  fallback: number,
  { min, max }: { readonly min: number; readonly max: number },
  faults: string[],
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  faults.push(`${name} is "${text}"; it must be a whole number from ${min} to ${max}`);
  return fallback;
}

function oneOf<T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
  faults: string[],
): T {
  const text = env[name];
  if (!text) return fallback;
  const value = allowed.find(candidate => candidate === text);
  if (value === undefined) faults.push(`${name} is "${text}"; it must be one of ${allowed.join(', ')}`);
  return value ?? fallback;
}

function databaseUrl(env: Environment, faults: string[]): string | undefined {
  const text = env.DATABASE_URL;
  if (!text) return undefined;
  // The address may hold a password: it is never repeated.
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    faults.push('DATABASE_URL is no address such as postgresql://user:password@host:5432/database');
  }
  return text;
}
