import Fastify, { type FastifyBaseLogger, type FastifyServerOptions } from 'fastify';
import type { Config } from '../config.ts';
import { schemaController } from './without-schemas.ts';

/** JSON lines on standard error; `mixin` adds fields to each. */
export function loggerOptions(
  level: Config['logLevel'],
  mixin: () => object = () => ({}),
): NonNullable<FastifyServerOptions['logger']> {
  return level === 'silent' ? false : { level, stream: process.stderr, serializers: { err: serializeError }, mixin };
}

/** The same log for a process without a server. */
export function createLog(level: Config['logLevel']): FastifyBaseLogger {
  return Fastify({ logger: loggerOptions(level), schemaController }).log;
}

const keys = /carte_(?:guest_[\w-]+|[\w-]{40,})/g;

/** Redacts API keys and tokens of guests, which clients also send in paths and ids. */
export function withoutKeys(text: string): string {
  return text.replace(keys, 'carte_…');
}

type SerializedError = Readonly<Record<'type' | 'message' | 'stack', string> & Record<string, unknown>>;

/** Omits what may quote data: the message of `JSON.parse`, all lines of others but the first, and the fields of a database error. */
function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' };
  const lines = error.stack?.split('\n') ?? [];
  return {
    type: error.name,
    message: error instanceof SyntaxError ? '' : withoutKeys(error.message.split('\n')[0] ?? ''),
    ...('code' in error && { code: error.code }),
    stack: lines.filter(line => /^\s+at /.test(line)).join('\n'),
    ...(error.cause instanceof Error && { cause: serializeError(error.cause) }),
  };
}
