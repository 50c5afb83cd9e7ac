import { setTimeout as sleep } from 'node:timers/promises';
import { checkHistory, type Read, type Write } from './history.ts';
import { configuration, marksIn, revisionIn } from './menu.ts';

/** One request: its kind, start and end, and status (0: no complete response). */
export interface Sent {
  readonly kind: string;
  readonly begun: number;
  readonly ended: number;
  readonly status: number;
  /** Reason for the missing response. */
  readonly failure?: string;
}

export interface Load {
  readonly sent: Sent[];
  readonly writes: Write[];
  readonly reads: Read[];
  /** Violations that no fault of the service excuses. */
  readonly violations: string[];
  stop(): Promise<void>;
}

export interface Target {
  /** Of the processes, one of which gets each request. */
  readonly urls: readonly string[];
  readonly key: string;
  /** The store that is written to. */
  readonly contested: string;
  /** One that has orders; without it, none are read. */
  readonly busy?: string;
}

const timeoutMs = 60_000;
const pauseAfterFailureMs = 50;

let loads = 0;

/** Load of POS systems and front ends: half of the requests read menus, a quarter poll orders, a quarter write. */
export function startLoad({ urls, key, contested, busy }: Target, workers: number): Load {
  // Marks are unique over the lifetime of the store.
  const from = loads++ * 1_000_000;
  const load = { sent: [] as Sent[], writes: [] as Write[], reads: [] as Read[], violations: [] as string[] };
  const tree = `/v1/stores/${contested}/menu_configuration/`;
  const orders = `/v1/stores/${busy}/orders/?page_size=20`;
  let isOver = false;

  async function send(kind: string, path: string, body?: unknown) {
    const begun = performance.now();
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const url = urls[Math.floor(Math.random() * urls.length)];
    try {
      const response = await fetch(url + path, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) });
      const { status } = response;
      const text = await response.text();
      const ended = performance.now();
      load.sent.push({ kind, begun, ended, status });
      if (![200, 503].includes(status)) load.violations.push(`${kind}: ${status} ${text.slice(0, 200)}`);
      if (status === 200 && text.startsWith('{"errors')) load.violations.push(`${kind}: ${text.slice(0, 200)}`);
      if (status !== 200) await sleep(pauseAfterFailureMs);
      return { begun, ended, text, ok: status === 200, etag: response.headers.get('etag') };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'TimeoutError') load.violations.push(`${kind}: no response within ${timeoutMs / 1000} s`);
      const ended = performance.now();
      load.sent.push({ kind, begun, ended, status: 0, failure });
      await sleep(pauseAfterFailureMs);
      return { begun, ended, text: '', ok: false, etag: null };
    }
  }

  async function write(worker: number, turn: number): Promise<void> {
    const mark = `w${worker}-${turn}`;
    const { begun, ended, ok, text, etag } = await send('post', tree, configuration(mark, 5 + (turn % 40)));
    load.writes.push({ mark, begun, ended, revision: ok ? revisionIn(etag) : undefined });
    const marks = marksIn(text);
    if (ok && (marks.length !== 1 || marks[0] !== mark))
      load.violations.push(`the response to ${mark} contains ${marks}`);
  }

  async function read(kind: 'tree' | 'flat' | 'graphql'): Promise<void> {
    const { ok, text, etag, begun, ended } =
      kind === 'graphql'
        ? await send(kind, '/graphql', { query: menuQuery, variables: { id: contested } })
        : await send(kind, kind === 'flat' ? `${tree}flat` : tree);
    if (!ok) return;
    const revision = kind === 'graphql' ? JSON.parse(text).data.store.menuRevision : revisionIn(etag);
    load.reads.push({ marks: marksIn(text), begun, ended, revision, kind });
  }

  async function work(worker: number): Promise<void> {
    const pollsOrders = busy !== undefined && worker % 4 === 1;
    for (let turn = from; !isOver; turn++) {
      if (worker % 4 === 0) await write(worker, turn);
      else if (pollsOrders && turn % 2 === 0) await send('orders', orders);
      else if (pollsOrders) await send('graphql orders', '/graphql', { query: orderQuery, variables: { id: busy } });
      else await read((['tree', 'flat', 'graphql'] as const)[turn % 3] ?? 'tree');
    }
  }

  const working = Array.from({ length: workers }, (_, worker) => work(worker));
  return {
    ...load,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}

const menuQuery = `query Menu($id: ID!) { store(id: $id) { menuRevision items { name { translations } }
  menus { name { translations } categories { name { translations } items { name { translations }
    modifierGroups { name { translations } modifierItems { name { translations } } } } } } } }`;
const orderQuery =
  'query Orders($id: ID!) { store(id: $id) { orders(first: 20) { totalCount nodes { id status createdAt } } } }';

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/** Counts requests by their outcome, as a text. */
export function countOutcomes(sent: readonly Sent[]): string {
  const outcomes = sent.map(({ status, failure }) => (status === 0 ? `no response (${failure})` : String(status)));
  return [...Map.groupBy(outcomes, outcome => outcome)]
    .map(([outcome, all]) => `${all.length} × ${outcome}`)
    .join(', ');
}

export const acknowledgedIn = ({ writes }: Load) => writes.filter(({ revision }) => revision !== undefined).length;

/** Checks all that was sent to a store in ended loads, and what it shows now; returns the violations. */
export async function checkLoads({ urls, key, contested }: Target, loads: readonly Load[]): Promise<string[]> {
  const path = `/v1/stores/${contested}/menu_configuration/`;
  const response = await fetch(urls[0] + path, { headers: { 'x-api-key': key } });
  const final = { marks: marksIn(await response.text()), revision: revisionIn(response.headers.get('etag')) };
  const writes = loads.flatMap(load => load.writes);
  const reads = loads.flatMap(load => load.reads);
  return [
    ...loads.flatMap(load => load.violations),
    ...(loads.some(load => acknowledgedIn(load) > 0) ? checkHistory(writes, reads, final) : []),
  ];
}
