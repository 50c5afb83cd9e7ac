import { createHttpClient, describeResponse, type HttpRequest } from '../request.ts';
import type { Attack, Caller, Row, Target } from '../row.ts';

const limitMs = 60_000;

export interface GraphqlBody {
  readonly query: string;
  readonly variables?: unknown;
}

type KeyName = keyof Target['keys'];

interface RowOptions {
  readonly name: string;
  /** No key if it is left out. */
  readonly key?: KeyName | undefined;
  readonly atOnce?: number;
  readonly requests?: number;
  readonly goal?: Row['goal'];
  readonly isShort?: boolean;
  readonly inspect?: Row['inspect'];
}

const callers: Readonly<Record<KeyName, Caller>> = { read: 'key', orders: 'key', write: 'key', unknown: 'unknown key' };

/** A row by its parts; two requests at once and 12 in all unless told otherwise. */
export function rowOf(options: RowOptions, prepare: Row['prepare']): Row {
  const { name, key, atOnce = 2, requests = 12, goal = 'cheap', isShort = false, inspect } = options;
  const caller = key ? callers[key] : 'no key';
  const whole = caller === 'key' ? name : `${name}, ${caller}`;
  return { name: whole, caller, atOnce, requests, goal, isShort, prepare, ...(inspect && { inspect }) };
}

/** A row of HTTP requests; those that do not depend on the turn are built once. */
export function httpRow(
  options: RowOptions,
  build: (target: Target) => HttpRequest | ((turn: number) => HttpRequest),
): Row {
  return rowOf(options, target => {
    const client = createHttpClient(target.url, { connections: options.atOnce ?? 2, limitMs });
    const built = build(target);
    const key: Record<string, string> = options.key ? { 'x-api-key': target.keys[options.key] } : {};
    const attack: Attack = async turn => {
      const request = typeof built === 'function' ? built(turn) : built;
      return { outcome: describeResponse(await client.send({ ...request, headers: { ...key, ...request.headers } })) };
    };
    return attack;
  });
}

/** Each row has a service of its own, and the first executions of any code take several times as long: that is no matter of shares. */
async function warmUp({ requests }: Row, attack: Attack): Promise<Attack> {
  const last = performance.now() + 1_000;
  for (let turn = 0; turn < 20 && performance.now() < last; turn++) await attack(requests + turn);
  return attack;
}

/** A row of GraphQL requests by POST. */
export function graphqlRow(
  options: RowOptions,
  build: (target: Target) => GraphqlBody | ((turn: number) => GraphqlBody),
): Row {
  const row = httpRow(options, target => {
    const built = build(target);
    if (typeof built === 'function') return turn => ({ path: '/graphql', body: JSON.stringify(built(turn)) });
    return { path: '/graphql', body: JSON.stringify(built) };
  });
  return { ...row, prepare: async target => warmUp(row, await row.prepare(target)) };
}

/** The same row without a key and with one, to be spread. */
export const byEach = (keys: readonly (KeyName | undefined)[], build: (key: KeyName | undefined) => Row) =>
  keys.map(build);

/** Repeats a selection under different aliases. */
export const aliased = (count: number, select: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `a${at}: ${select(at)}`).join(' ');

export const scaled = (count: number, { divisor }: Target) => Math.ceil(count / divisor);
