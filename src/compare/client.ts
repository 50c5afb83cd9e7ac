import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import type { Turn } from './turns.ts';

export interface Side {
  readonly name: 'old' | 'new';
  /** What the documented paths are relative to. */
  readonly url: string;
  readonly key: string | undefined;
}

export interface Answer {
  readonly status: number;
  /** Of a status 200 alone. */
  readonly body: unknown;
}

export interface Client {
  readonly side: Side;
  get(path: string, turn: Turn): Promise<Answer>;
}

/** One of the services cannot be asked, so nothing can be said about differences. */
export class Incomparable extends OperatorError {
  override readonly exitStatus = 2;
}

/** The next attempt may succeed. */
class Passing extends Incomparable {
  /** As the service asks for; undefined where it did not answer at all. */
  readonly pauseSeconds: number | undefined;
  constructor(message: string, { pauseSeconds, ...options }: ErrorOptions & { readonly pauseSeconds?: number }) {
    super(message, options);
    this.pauseSeconds = pauseSeconds;
  }
}

const attempts = 4;
const longestPauseSeconds = 60;
const passing = new Set([429, 502, 503, 504]);
const mebibyte = 1024 * 1024;
/** From here on an answer waits until no other large one is held. */
const large = 8 * mebibyte;
const largest = 256 * mebibyte;

export function createClient(side: Side, { seconds }: { readonly seconds: number }): Client {
  const service = `The ${side.name} service`;
  let hasAnswered = false;

  const ask = async (path: string, turn: Turn): Promise<Answer> => {
    const response = await fetch(`${side.url}${path}`, {
      // A key must not follow to another host.
      redirect: 'manual',
      headers: { accept: 'application/json', ...(side.key !== undefined && { 'x-api-key': side.key }) },
      signal: AbortSignal.timeout(seconds * 1000),
    });
    const { status, headers } = response;
    if (status === 200) return { status, body: parse(await readText(response, path, turn), path) };
    await response.body?.cancel();
    if (status === 401) throw new Incomparable(refusal(side, status));
    if (status >= 300 && status < 400)
      throw new Incomparable(`${service} redirects to ${headers.get('location')}: GET ${path}`);
    if (!passing.has(status)) return { status, body: undefined };
    const pauseSeconds = Number(headers.get('retry-after') ?? Number.NaN);
    throw new Passing(`${service} answers ${status} again and again: GET ${path}`, { pauseSeconds });
  };

  const readText = async (response: Response, path: string, turn: Turn): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > large) await turn.enter();
      if (bytes > largest)
        throw new Incomparable(`${service} answers more than ${largest / mebibyte} MiB: GET ${path}`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  };

  const parse = (text: string, path: string): unknown => {
    try {
      return parseJson(text);
    } catch (cause) {
      throw new Incomparable(`${service} answers something that is no JSON: GET ${path}`, { cause });
    }
  };

  /** What is not of our own words is a failure of the connection. */
  const understood = (error: unknown): unknown => {
    if (error instanceof Incomparable) return error;
    const message = `${service} at ${side.url} cannot be reached: ${reasonOf(error)}`;
    return isTimeout(error) ? new Incomparable(message, { cause: error }) : new Passing(message, { cause: error });
  };

  return {
    side,
    async get(path, turn) {
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await ask(path, turn);
          hasAnswered = true;
          return answer;
        } catch (cause) {
          const error = understood(cause);
          const isLast = attempt === attempts || !(error instanceof Passing);
          // One that was never there is not waited for.
          if (isLast || (error.pauseSeconds === undefined && !hasAnswered)) throw error;
          await sleep(pauseAfter(error, attempt) * 1000);
        }
      }
    },
  };
}

export function refusal({ name, key }: Side, status: number): string {
  const hint = `CARTE_${name.toUpperCase()}_KEY`;
  return `The ${name} service refuses the key (${status})${key === undefined ? `: none is given in ${hint}` : ''}.`;
}

function pauseAfter({ pauseSeconds = Number.NaN }: Passing, attempt: number): number {
  return Math.min(Number.isNaN(pauseSeconds) ? 2 ** (attempt - 1) : pauseSeconds, longestPauseSeconds);
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';

/** The code of the system says more than fetch's own words, and never holds a header. */
function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'it takes too long to answer';
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return String(code ?? (cause instanceof Error ? cause.message : message));
}
