import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
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

const attempts = 4;
const longestPauseSeconds = 60;
const passing = new Set([429, 502, 503, 504]);
const mebibyte = 1024 * 1024;
/** From here on an answer waits until no other large one is held. */
const large = 8 * mebibyte;
const largest = 256 * mebibyte;

export function createClient(side: Side, { seconds }: { readonly seconds: number }): Client {
  const service = `The ${side.name} service`;

  const ask = async (path: string): Promise<Response> => {
    try {
      return await fetch(`${side.url}${path}`, {
        // A key must not follow to another host.
        redirect: 'manual',
        headers: { accept: 'application/json', ...(side.key !== undefined && { 'x-api-key': side.key }) },
        signal: AbortSignal.timeout(seconds * 1000),
      });
    } catch (error) {
      throw new Incomparable(`${service} at ${side.url} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
  };

  const read = async (response: Response, path: string, turn: Turn): Promise<unknown> => {
    const failed = (what: string, cause?: unknown) => new Incomparable(`${service} ${what}: GET ${path}`, { cause });
    let text = '';
    try {
      const decoder = new TextDecoder();
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.byteLength;
        if (bytes > large) await turn.enter();
        if (bytes > largest) throw failed(`answers more than ${largest / mebibyte} MiB`);
        text += decoder.decode(chunk, { stream: true });
      }
      text += decoder.decode();
    } catch (error) {
      if (error instanceof Incomparable) throw error;
      throw failed(`breaks off in its answer (${reasonOf(error)})`, error);
    }
    try {
      return JSON.parse(text);
    } catch (error) {
      throw failed('answers something that is no JSON', error);
    }
  };

  return {
    side,
    async get(path, turn) {
      for (let attempt = 1; ; attempt++) {
        const response = await ask(path);
        const { status } = response;
        if (status === 200) return { status, body: await read(response, path, turn) };
        await response.body?.cancel();
        if (status === 401) throw new Incomparable(refusal(side, status));
        if (status >= 300 && status < 400)
          throw new Incomparable(`${service} redirects${target(response)}: GET ${path}`);
        if (!passing.has(status)) return { status, body: undefined };
        if (attempt === attempts) throw new Incomparable(`${service} answers ${status} again and again: GET ${path}`);
        await sleep(pauseSeconds(response, attempt) * 1000);
      }
    },
  };
}

export function refusal({ name, key }: Side, status: number): string {
  const hint = `CARTE_${name.toUpperCase()}_KEY`;
  return `The ${name} service refuses the key (${status})${key === undefined ? `: none is given in ${hint}` : ''}.`;
}

function pauseSeconds(response: Response, attempt: number): number {
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Math.min(Number.isNaN(asked) ? 2 ** (attempt - 1) : asked, longestPauseSeconds);
}

function target(response: Response): string {
  const location = response.headers.get('location');
  return location ? ` to ${location}` : '';
}

/** The code of the system says more than fetch's own words, and never holds a header. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
  if (name === 'TimeoutError') return 'it takes too long to answer';
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return String(code ?? (cause instanceof Error ? cause.message : message));
}
