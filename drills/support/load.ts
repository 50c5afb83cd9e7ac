import type { Read, Write } from './history.ts';
import { configuration, marksIn, revisionIn } from './menu.ts';

/** One request: its path, start and end, and status (0: no complete response). */
export interface Ask {
  readonly what: string;
  readonly begun: number;
  readonly ended: number;
  readonly status: number;
  /** Reason for the missing response. */
  readonly failure?: string;
}

export interface Load {
  readonly asks: Ask[];
  readonly writes: Write[];
  readonly reads: Read[];
  /** Violations that no fault of the service excuses. */
  readonly problems: string[];
  stop(): Promise<void>;
}

export interface Target {
  readonly url: string;
  readonly key: string;
  /** The store that is written to, and one that has orders. */
  readonly contested: string;
  readonly busy: string;
}

const longest = 60_000;
const pauseAfterFailure = 50;

let loads = 0;

/** Load of POS systems and front ends: half of the requests read menus, a quarter poll orders, a quarter write. */
export function startLoad({ url, key, contested, busy }: Target, workers: number): Load {
  // Marks are unique over the lifetime of the store.
  const from = loads++ * 1_000_000;
  const load = { asks: [] as Ask[], writes: [] as Write[], reads: [] as Read[], problems: [] as string[] };
  const tree = `/v1/stores/${contested}/menu_configuration/`;
  const orders = `/v1/stores/${busy}/orders/?page_size=20`;
  let isOver = false;

  async function ask(what: string, path: string, body?: unknown) {
    const begun = performance.now();
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    try {
      const answer = await fetch(url + path, { ...init, headers, signal: AbortSignal.timeout(longest) });
      const text = await answer.text();
      const ended = performance.now();
      load.asks.push({ what, begun, ended, status: answer.status });
      if (![200, 503].includes(answer.status)) load.problems.push(`${what}: ${answer.status} ${text.slice(0, 200)}`);
      if (answer.status === 200 && text.startsWith('{"errors')) load.problems.push(`${what}: ${text.slice(0, 200)}`);
      if (answer.status !== 200) await pause();
      return { begun, ended, text, ok: answer.status === 200, etag: answer.headers.get('etag') };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'TimeoutError') load.problems.push(`${what}: no response within ${longest / 1000} s`);
      const ended = performance.now();
      load.asks.push({ what, begun, ended, status: 0, failure });
      await pause();
      return { begun, ended, text: '', ok: false, etag: null };
    }
  }

  async function write(worker: number, turn: number): Promise<void> {
    const mark = `w${worker}-${turn}`;
    const { begun, ended, ok, text, etag } = await ask('post', tree, configuration(mark, 5 + (turn % 40)));
    load.writes.push({ mark, begun, ended, revision: ok ? revisionIn(etag) : undefined });
    const marks = marksIn(text);
    if (ok && (marks.length !== 1 || marks[0] !== mark))
      load.problems.push(`the response to ${mark} contains ${marks}`);
  }

  async function read(kind: 'tree' | 'flat' | 'graphql'): Promise<void> {
    const answer =
      kind === 'graphql'
        ? await ask(kind, '/graphql', { query: menuQuery, variables: { id: contested } })
        : await ask(kind, kind === 'flat' ? `${tree}flat` : tree);
    if (!answer.ok) return;
    const revision = kind === 'graphql' ? JSON.parse(answer.text).data.store.menuRevision : revisionIn(answer.etag);
    load.reads.push({ marks: marksIn(answer.text), begun: answer.begun, ended: answer.ended, revision, kind });
  }

  async function work(worker: number): Promise<void> {
    for (let turn = from; !isOver; turn++) {
      if (worker % 4 === 0) await write(worker, turn);
      else if (worker % 4 === 1 && turn % 2 === 0) await ask('orders', orders);
      else if (worker % 4 === 1)
        await ask('graphql orders', '/graphql', { query: orderQuery, variables: { id: busy } });
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

const menuQuery = `query Menu($id: ID!) { store(id: $id) { menuRevision
  menus { name { translations } categories { items { name { translations } modifierGroups { name { translations } } } } } } }`;
const orderQuery =
  'query Orders($id: ID!) { store(id: $id) { orders(pageSize: 20) { count nodes { id status createdAt } } } }';

const pause = () => new Promise(resolve => setTimeout(resolve, pauseAfterFailure));

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/** Counts requests by their outcome. */
export function tally(asks: readonly Ask[]): Record<string, number> {
  const ways = asks.map(({ status, failure }) => (status === 0 ? `no response (${failure})` : String(status)));
  return Object.fromEntries([...Map.groupBy(ways, way => way)].map(([way, all]) => [way, all.length]));
}
