/** A validation error: the path of the value, the rule that it breaks, and a sentence that names the value. */
export interface ValidationError<Type extends string = string> {
  readonly path: readonly (string | number)[];
  readonly type: Type;
  readonly message: string;
}

/**
 * Validates the arguments of a field although some of them could not be parsed, so that a client gets every error at once.
 * Those are undefined, and the function reports nothing about them.
 */
export type CheckPartialInput = (
  args: Readonly<Record<string, unknown>>,
) => readonly ValidationError[] | Promise<readonly ValidationError[]>;

/** An error that the client can fix. Domains throw it without knowing HTTP; each transport maps it to its own form once. */
export abstract class ClientError extends Error {}

/** The input is invalid; lists every validation error. */
export class InvalidInput extends ClientError {
  readonly errors: readonly ValidationError[];
  constructor(errors: readonly ValidationError[]) {
    const [first, ...others] = errors;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    super(`${first?.path.join('.')}: ${first?.message}${more}`);
    this.errors = errors;
  }
}

/** The request has no API key, or one that is unknown, revoked or expired. */
export class Unauthenticated extends ClientError {}

/** The key is valid but lacks the permission. */
export class Forbidden extends ClientError {}

/** A precondition failed: the resource has changed since the client read it. */
export class Conflict extends ClientError {}

/** The same request may succeed after some seconds. */
export abstract class RetryableError extends ClientError {
  readonly retryAfterSeconds: number;
  constructor(
    message: string,
    { retryAfterSeconds = 5, ...options }: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The database is unavailable, or the service is overloaded. */
export class Unavailable extends RetryableError {}

/** The key has exceeded its rate limit. */
export class TooManyRequests extends RetryableError {}

/** The operation costs more than one request may, by the size of the data that it selects. */
export class TooCostly extends ClientError {
  constructor(subject: string, cost: number, limit: number) {
    const [found, most] = [cost, limit].map(number => number.toLocaleString('en-US'));
    super(`The operation costs ${found} with ${subject}; at most ${most} are allowed. Select less in one request.`);
  }
}

/** The response would have more objects in lists than one response may, as is known before they are loaded. */
export class ResponseTooLarge extends ClientError {}

/** A stream was ended before its time, e.g. because its reader is too slow; the client may open it again where it ended. */
export class StreamCut extends ClientError {}

/** An error of the operator, e.g. in settings or arguments: the command line prints the message without a stack. */
export class OperatorError extends Error {
  readonly exitStatus: number = 1;
}

/** The SQLSTATE of a database error, or the code of a system error such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
