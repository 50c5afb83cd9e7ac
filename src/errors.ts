/** One thing wrong with what a caller sent: where, which rule, and a sentence that names the value. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly type: string;
  readonly message: string;
}

/**
 * What a domain says of the arguments of a field when they have other faults, because of which not all of them could be read:
 * a caller is told of every fault at once. What could not be read is undefined, and nothing is to be said of that.
 */
export type CheckPart = (args: Readonly<Record<string, unknown>>) => readonly Fault[];

/** Something that the caller can mend. A domain throws it in its own terms; each transport translates it once. */
export abstract class Refused extends Error {}

/** The input has faults; all of them are listed. */
export class InvalidInput extends Refused {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    const [first, ...others] = faults;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    super(`${first?.path.join('.')}: ${first?.message}${more}`);
    this.faults = faults;
  }
}

/** No API key came with the request, or one that does not (or no longer) exist. */
export class Unauthenticated extends Refused {}

/** The key is good but may not do this. */
export class Forbidden extends Refused {}

/** The caller built on a state that has since moved on. */
export class Conflict extends Refused {}

/** Not now: the same request may succeed after some seconds. */
export abstract class Postponed extends Refused {
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
export class Unavailable extends Postponed {}

/** The key has used up what it may ask for in a minute. */
export class TooManyRequests extends Postponed {}

/** A mistake of the operator: the command line prints the sentence alone, without a stack. */
export class OperatorError extends Error {
  readonly exitStatus: number = 1;
}
