import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import {
  ClientError,
  Conflict,
  Forbidden,
  InvalidInput,
  RetryableError,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
} from '../errors.ts';

const internal = 'INTERNAL_SERVER_ERROR';

/** What an error of a library means in our terms, e.g. `Unavailable` for a lost connection; undefined for a bug. */
export type Translate = (error: unknown) => Error | undefined;

/** What a caller may read of an error: a refusal in full, an error of ours not at all. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  translate: Translate = () => undefined,
): GraphQLFormattedError {
  const thrown = unwrapResolverError(error);
  const original = thrown instanceof ClientError ? thrown : (translate(thrown) ?? thrown);
  if (original instanceof InvalidInput) {
    return { ...formatted, extensions: { code: 'BAD_USER_INPUT', errors: original.errors } };
  }
  if (original instanceof ClientError) {
    return { ...formatted, message: original.message, extensions: { code: codeOf(original) } };
  }
  if (isInternal(formatted)) return { ...formatted, message: 'Internal server error', extensions: { code: internal } };
  return formatted;
}

export function isInternal(error: GraphQLFormattedError): boolean {
  return error.extensions?.code === internal;
}

export interface Rejection {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
}

/** The answer to a request that failed before its query was looked at. */
export function rejectionOf(error: Error & { readonly statusCode?: number }): Rejection {
  const { message } = error;
  if (error instanceof Unauthenticated) {
    return { status: 401, headers: { 'www-authenticate': 'ApiKey' }, code: codeOf(error), message };
  }
  if (error instanceof RetryableError) {
    const status = error instanceof TooManyRequests ? 429 : 503;
    return { status, headers: { 'retry-after': String(error.retryAfterSeconds) }, code: codeOf(error), message };
  }
  const status = error.statusCode ?? 500;
  if (status < 500) return { status, headers: {}, code: 'BAD_REQUEST', message };
  return { status, headers: {}, code: internal, message: 'Internal server error' };
}

function codeOf(refusal: ClientError): string {
  if (refusal instanceof Unauthenticated) return 'UNAUTHENTICATED';
  if (refusal instanceof Forbidden) return 'FORBIDDEN';
  if (refusal instanceof Conflict) return 'CONFLICT';
  if (refusal instanceof Unavailable) return 'UNAVAILABLE';
  if (refusal instanceof TooManyRequests) return 'TOO_MANY_REQUESTS';
  return 'REFUSED';
}
