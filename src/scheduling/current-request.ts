import { AsyncLocalStorage } from 'node:async_hooks';
import { setGivesWay } from '@carte/base/time-slice';

/**
 * Who is counted where callers share what a process has: an API key or, since anyone may have a publishable one, a guest, who is that key and an
 * address.
 */
export interface Share {
  readonly id: string;
  readonly isGuest: boolean;
}

/** The statements of one request, and whose work it is. */
export interface RequestStatements {
  statements: number;
  /** Absent without a key, and for work that several callers share: none of them waits in the queue of another. */
  share?: Share | undefined;
  /** Whether it is work of guests, which gives way to that of others. */
  isForGuests?: boolean;
  /** Whether it is expensive, so that it uses few connections at a time. */
  isExpensive?: boolean;
  /** Whether it changes something now, so that it leaves connections to those that read. */
  isWriting?: boolean;
  /** Whether it is no request, but work that goes on beside them and changes something with most of its statements. */
  isWorker?: boolean;
  /** Returns its shares of what the requests of its caller may do at a time, once it has some. */
  leaveShare?: (() => void) | undefined;
  /** The request whose statements those of shared work are. */
  countedFor?: RequestStatements;
  /** Starts a span for a statement; the function that it returns ends the span. */
  trace: ((text: string) => (error: unknown) => void) | undefined;
}

/** The request that the running code belongs to; undefined in commands, in migrations and at startup. */
export const currentRequest = new AsyncLocalStorage<RequestStatements | undefined>();

setGivesWay(() => currentRequest.getStore()?.isForGuests ?? false);

/** Work outside of a request with a key has one share of its own. */
const nobody: Share = { id: '', isGuest: false };

export const currentShare = (): Share => currentRequest.getStore()?.share ?? nobody;

/** Runs work beside requests: neither counted nor traced with one, but with the same limits for statements that change something. */
export const runAsWorker = <T>(work: () => T, share?: Share): T =>
  currentRequest.run({ statements: 0, trace: undefined, isWorker: true, share }, work);

/** Runs work whose result several callers get: its statements count for the first, but wait in nobody's queue. */
export function runShared<T>(work: () => T): T {
  const first = currentRequest.getStore();
  if (!first) return currentRequest.run(undefined, work);
  const { isForGuests = false, countedFor = first } = first;
  return currentRequest.run({ statements: 0, trace: undefined, isForGuests, countedFor }, work);
}
