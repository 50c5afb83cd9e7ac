import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions } from 'fastify';
import type { Config } from '../config.ts';

/** JSON lines on standard error; each that belongs to a request bears the request's id as `reqId`. */
export function loggerOptions(level: Config['logLevel']): NonNullable<FastifyServerOptions['logger']> {
  return level === 'silent' ? false : { level, stream: process.stderr, serializers: { err: describeError } };
}

/** The same log for a program that has no server. */
export function createLog(level: Config['logLevel']): FastifyBaseLogger {
  return Fastify({ logger: loggerOptions(level) }).log;
}

const keys = /carte_[\w-]{40,}/g;

/** Callers put keys into the strangest places. */
export function withoutKeys(text: string): string {
  return text.replace(keys, 'carte_…');
}

const token = /^[\w.:@=+/-]{1,128}$/;

/** The caller's own id, where it is one that can stand in a log line and in a header. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && token.test(given) && withoutKeys(given) === given ? given : randomUUID();
}

interface Description {
  readonly [field: string]: unknown;
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack: string;
  readonly cause?: Description;
}

/** What helps to find an error, but no data: further lines of a message, and the fields of a database's error, quote it. */
function describeError(error: unknown): Description {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' };
  const lines = error.stack?.split('\n') ?? [];
  return {
    type: error.name,
    message: withoutKeys(error.message.split('\n')[0] ?? ''),
    ...('code' in error && { code: error.code }),
    stack: lines.filter(line => /^\s+at /.test(line)).join('\n'),
    ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
  };
}
