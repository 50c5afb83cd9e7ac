/** One thing wrong with what a caller sent: where, which rule, and a sentence that names the value. */
export interface ValidationError {
  readonly path: readonly (string | number)[];
  readonly type: string;
  readonly message: string;
}

/**
 * What a domain says of the arguments of a field when they have other errors, because of which not all of them could be read:
 * a caller is told of every error at once. What could not be read is undefined, and nothing is to be said of that.
 */
export type CheckPartialInput = (args: Readonly<Record<string, unknown>>) => readonly ValidationError[];

/** Something that the caller can mend. A domain throws it in its own terms; each transport translates it once. */
export abstract class ClientError extends Error {}

/** The input has errors; all of them are listed. */
export class InvalidInput extends ClientError {
  readonly errors: readonly ValidationError[];
  constructor(errors: readonly ValidationError[]) {
    const [first, ...others] = errors;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    super(`${first?.path.join('.')}: ${first?.message}${more}`);
    this.errors = errors;
  }
}

/** No API key came with the request, or one that does not (or no longer) exist. */
export class Unauthenticated extends ClientError {}

/** The key is good but may not do this. */
export class Forbidden extends ClientError {}

/** The caller built on a state that has since moved on. */
export class Conflict extends ClientError {}

/** Not now: the same request may succeed after some seconds. */
export abstract class RetryableError extends ClientError {
  readonly retrySeconds: number;
  constructor(
    message: string,
    { retrySeconds = 5, ...options }: ErrorOptions & { readonly retrySeconds?: number } = {},
  ) {
    super(message, options);
    this.retrySeconds = retrySeconds;
  }
}

/** Something that the service needs, such as its database, is away, or it has more to do than it can. */
export class Unavailable extends RetryableError {}

/** The key has used up what it may ask for in a minute. */
export class TooManyRequests extends RetryableError {}

/** A mistake of the operator: the command line prints the sentence alone, without a stack. */
export class OperatorError extends Error {
  readonly exitStatus: number = 1;
}
