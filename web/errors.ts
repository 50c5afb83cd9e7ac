/** A validation error of the graph: the path of a value in the variables, and the rule that it breaks. */
export interface ValidationError {
  readonly path: readonly (string | number)[];
  readonly type: string;
  readonly message: string;
}

/** An error in a response of the graph. */
export interface ResponseError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly errors?: readonly ValidationError[] };
}

/** The request failed; the message is for the user. */
export class RequestError extends Error {}

/** The API key is malformed, or not accepted, e.g. since it was revoked. */
export class KeyRejected extends RequestError {
  constructor(
    message = 'This key is not known, or no longer valid. Check that it is complete, or ask whoever issued it for another.',
  ) {
    super(message);
  }
}

/** The key may not do this. */
export class Forbidden extends RequestError {}

/** The server cannot be reached, or sheds load: the same request may succeed later. */
export class Unreachable extends RequestError {
  constructor(message = 'The server cannot be reached.', options?: ErrorOptions) {
    super(message, options);
  }
}

/** What was to be changed has changed since it was read. */
export class Conflict extends RequestError {}

/** The input is invalid. */
export class InvalidInput extends RequestError {
  readonly errors: readonly ValidationError[];
  constructor(message: string, errors: readonly ValidationError[]) {
    super(message);
    this.errors = errors;
  }
}

const retryableCodes = new Set(['UNAVAILABLE', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR']);

/** Converts the errors of a response by their codes (docs/errors.md). */
export function toRequestError(errors: readonly ResponseError[]): RequestError {
  const codes = errors.map(({ extensions }) => extensions?.code ?? '');
  const message = errors.map(error => error.message).join(' ');
  if (codes.includes('UNAUTHENTICATED')) return new KeyRejected();
  if (codes.some(code => retryableCodes.has(code))) return new Unreachable(message);
  if (codes.includes('FORBIDDEN')) return new Forbidden(message);
  if (codes.includes('CONFLICT')) return new Conflict(message);
  if (codes.includes('BAD_USER_INPUT')) {
    return new InvalidInput(
      message,
      errors.flatMap(({ extensions }) => extensions?.errors ?? []),
    );
  }
  return new RequestError(message);
}

/** Returns the message of an error for the user. */
export function messageOf(error: unknown): string {
  return error instanceof RequestError ? error.message : `This page has an error: ${error}`;
}
