import { Conflict, Forbidden, RetryableError, TooManyRequests, Unauthenticated } from '../errors.ts';
import type { RequestError } from '../input/validation-errors.ts';

/** An error response of a route: a status, and the body `{"detail": …}`. */
export class HttpError extends Error {
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

export const unprocessable = (errors: readonly RequestError[]): HttpError => new HttpError(422, errors);

export const unsupportedMediaType = (): HttpError =>
  new HttpError(415, 'The body must be JSON in UTF-8, with Content-Type: application/json.');

/**
 * Translates a client error to its response; undefined for a bug, of which the caller learns nothing. A conflict of a conditional request
 * is the failure of its precondition.
 */
export function toHttpError(error: unknown, isConditional = false): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof Unauthenticated) return new HttpError(401, error.message, { 'www-authenticate': 'ApiKey' });
  if (error instanceof Forbidden) return new HttpError(403, error.message);
  if (error instanceof Conflict) return new HttpError(isConditional ? 412 : 409, error.message);
  if (error instanceof RetryableError) {
    const status = error instanceof TooManyRequests ? 429 : 503;
    return new HttpError(status, error.message, { 'retry-after': String(error.retryAfterSeconds) });
  }
  return fromFastifyError(error);
}

/** Fastify's errors about bodies that it does not read to the end. */
function fromFastifyError(error: Error): HttpError | undefined {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new HttpError(413, 'The body is larger than this service accepts.');
  if (status === 415) return unsupportedMediaType();
  return typeof status === 'number' && status >= 400 && status < 500 ? new HttpError(status, error.message) : undefined;
}
