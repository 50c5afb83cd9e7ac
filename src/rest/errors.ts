import { Conflict, Forbidden, RetryableError, TooManyRequests, Unauthenticated } from '../errors.ts';
import type { RequestError } from '../input/validation-errors.ts';

/** An answer other than success, in the one shape that callers of `/v1` see: `{"detail": …}`. */
export class Problem extends Error {
  readonly status: number;
  readonly detail: string | readonly RequestError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly RequestError[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : 'The request has errors');
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

export const unprocessable = (errors: readonly RequestError[]): Problem => new Problem(422, errors);

/** What a caller is told of an error; undefined for a bug, of which the caller is told nothing. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof Unauthenticated) return new Problem(401, error.message, { 'www-authenticate': 'ApiKey' });
  if (error instanceof Forbidden) return new Problem(403, error.message);
  if (error instanceof Conflict) return new Problem(412, error.message);
  if (error instanceof RetryableError) return postponement(error);
  return serverProblem(error);
}

function postponement(error: RetryableError): Problem {
  const status = error instanceof TooManyRequests ? 429 : 503;
  return new Problem(status, error.message, { 'retry-after': String(error.retryAfterSeconds) });
}

/** Fastify's own refusals, of bodies that it will not read to the end. */
function serverProblem(error: Error): Problem | undefined {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new Problem(413, 'The body is larger than this service accepts.');
  if (status === 415) return unsupportedType();
  return typeof status === 'number' && status >= 400 && status < 500 ? new Problem(status, error.message) : undefined;
}

export const unsupportedType = (): Problem =>
  new Problem(415, 'The body must be JSON in UTF-8, with Content-Type: application/json.');
