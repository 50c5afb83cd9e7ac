import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@carte/base/errors';
import { parseJson } from '@carte/base/json';
import type { Lock } from './concurrency.ts';

export interface Service {
  readonly name: 'old' | 'new';
  /** Base URL, without `/v1`. */
  readonly url: string;
  readonly key: string | undefined;
}

export interface ServiceResponse {
  readonly status: number;
  /** Undefined unless the status is 200. */
  readonly body: unknown;
}

export type Client = ReturnType<typeof createClient>;

/** The services cannot be compared, for instance because one is unreachable or rejects its key. */
export class ComparisonError extends OperatorError {
  override readonly exitStatus = 2;
}

/** A failure that a retry may resolve. */
class TransientError extends ComparisonError {
  /** From Retry-After, NaN without the header; undefined if there was no response at all. */
  readonly retryAfterSeconds: number | undefined;
  constructor(
    message: string,
    { retryAfterSeconds, ...options }: ErrorOptions & { readonly retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const maxAttempts = 4;
const maxDelaySeconds = 60;
const transientStatuses = new Set([429, 502, 503, 504]);
const mebibyte = 1024 * 1024;
/** Bodies beyond this size are read under the lock, so that only one pair of them is in memory. */
const lockedBodyBytes = 8 * mebibyte;
const maxBodyBytes = 256 * mebibyte;

export function createClient(service: Service, { timeoutMs }: { readonly timeoutMs: number }) {
  const subject = `The ${service.name} service`;
  let hasResponded = false;

  const request = async (path: string, lock: Lock | undefined): Promise<ServiceResponse> => {
    const response = await fetch(`${service.url}${path}`, {
      // A redirect would send the key to another host.
      redirect: 'manual',
      headers: { accept: 'application/json', ...(service.key !== undefined && { 'x-api-key': service.key }) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status, headers } = response;
    if (status === 200) return { status, body: parse(await readText(response, path, lock), path) };
    await response.body?.cancel();
    if (status === 401) throw keyRejected(service, status);
    if (status >= 300 && status < 400)
      throw new ComparisonError(`${subject} redirects to ${headers.get('location')}: GET ${path}`);
    if (!transientStatuses.has(status)) return { status, body: undefined };
    const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
    throw new TransientError(`${subject} still responds with ${status} after ${maxAttempts} attempts: GET ${path}`, {
      retryAfterSeconds,
    });
  };

  const readText = async (response: Response, path: string, lock: Lock | undefined): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > lockedBodyBytes) await lock?.acquire();
      if (bytes > maxBodyBytes)
        throw new ComparisonError(`${subject} sends a body of more than ${maxBodyBytes / mebibyte} MiB: GET ${path}`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  };

  const parse = (text: string, path: string): unknown => {
    try {
      return parseJson(text);
    } catch (cause) {
      throw new ComparisonError(`${subject} sends a body that is not JSON: GET ${path}`, { cause });
    }
  };

  /** Everything that was not thrown above is a failure of the connection. */
  const toComparisonError = (error: unknown): ComparisonError => {
    if (error instanceof ComparisonError) return error;
    const message = `${subject} at ${service.url} cannot be reached: ${reasonOf(error)}`;
    return isTimeout(error)
      ? new ComparisonError(message, { cause: error })
      : new TransientError(message, { cause: error });
  };

  return {
    service,
    async get(path: string, lock?: Lock): Promise<ServiceResponse> {
      for (let attempt = 1; ; attempt++) {
        try {
          const response = await request(path, lock);
          hasResponded = true;
          return response;
        } catch (cause) {
          const error = toComparisonError(cause);
          const isFinal = attempt === maxAttempts || !(error instanceof TransientError);
          // A service that never responded is taken to be down, not to be restarting.
          if (isFinal || (error.retryAfterSeconds === undefined && !hasResponded)) throw error;
          await sleep(delaySeconds(error, attempt) * 1000);
        }
      }
    },
  };
}

export function keyRejected({ name, key }: Service, status: number): ComparisonError {
  const hint = key === undefined ? `: CARTE_${name.toUpperCase()}_KEY is not set` : '';
  return new ComparisonError(`The ${name} service rejects the key (${status})${hint}.`);
}

/** Retry-After if the service sends it, else exponential backoff. */
function delaySeconds({ retryAfterSeconds = Number.NaN }: TransientError, attempt: number): number {
  return Math.min(Number.isNaN(retryAfterSeconds) ? 2 ** (attempt - 1) : retryAfterSeconds, maxDelaySeconds);
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';

/** The system's error code is more specific than fetch's message, and never contains a header. */
function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'the request timed out';
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return String(code ?? (cause instanceof Error ? cause.message : message));
}
