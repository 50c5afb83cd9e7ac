import { brotliDecompressSync } from 'node:zlib';
import { differenceOf } from '../../support/equality.ts';
import { type Answer, type Client, inParallel, type Request, sendExpecting } from '../support/client.ts';
import { type Figures, figuresOf, measure, type Stretch, type Watched } from '../support/meter.ts';
import type { Case, ServerName } from './cases.ts';

export interface Contestant extends Watched {
  readonly client: Client;
}
export interface Contestants extends Readonly<Partial<Record<ServerName, Contestant>>> {
  readonly carte: Contestant;
  /** Another process of Carte on the same database. */
  readonly elsewhere: Client;
}
export type Rounds = ReadonlyMap<ServerName, readonly Figures[]>;

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Throws if a server's response differs from Carte's. */
export async function checkEquality(tested: Case, contestants: Contestants): Promise<void> {
  for (const request of tested.servers.length > 1 ? tested.requests() : []) {
    const expected = contentOf(await sendExpecting(contestants.carte.client, request, 200));
    for (const name of tested.servers.filter(server => isPrepared(server, tested))) {
      const found = contentOf(await sendExpecting(contestantOf(contestants, name).client, request, 200));
      const difference = differenceOf(expected, found);
      if (difference) throw new Error(`${request.path}: carte and ${name} differ at ${difference}`);
    }
  }
}

/** The limit server cannot replay responses that change. */
const isPrepared = (server: ServerName, { changes }: Case) => server !== 'carte' && (server !== 'limit' || !changes);

function contentOf({ headers, chunks }: Answer): unknown {
  const bytes = Buffer.concat(chunks);
  const text = (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString();
  if (text.startsWith('{"errors"')) throw new Error(text.slice(0, 300));
  return JSON.parse(text);
}

/** Measures the servers alternately, after a round of warm-up. */
export async function contest(
  tested: Case,
  contestants: Contestants,
  pace: Pace,
  onProgress: (text: string) => void,
): Promise<Rounds> {
  const found = new Map<ServerName, Figures[]>(tested.servers.map(name => [name, []]));
  const runs = new Map<ServerName, () => Promise<Figures>>();
  for (const name of tested.servers) runs.set(name, await prepare(tested, name, contestants, pace));
  for (let round = 0; round <= pace.rounds; round++) {
    onProgress(`${tested.name}: ${round === 0 ? 'warming up' : `round ${round} of ${pace.rounds}`}`);
    for (const [name, run] of runs) {
      const figures = await run();
      if (round > 0) found.get(name)?.push(figures);
    }
  }
  return found;
}

function contestantOf(contestants: Contestants, name: ServerName): Contestant {
  const contestant = contestants[name];
  if (!contestant) throw new Error(`There is no server ${name}`);
  return contestant;
}

async function prepare(tested: Case, name: ServerName, contestants: Contestants, pace: Pace) {
  const contestant = contestantOf(contestants, name);
  const own = tested.requests(name);
  const requests = tested.conditional ? await withTags(own, contestant.client) : own;
  const status = tested.conditional ? 304 : 200;
  let sent = 0;
  const send = () => {
    const request = requests[sent++ % requests.length];
    if (!request) throw new Error(`${tested.name} has no requests`);
    return sendExpecting(contestant.client, request, status);
  };
  const stretch = (hasMore: (turn: number) => boolean): Promise<Stretch> =>
    measure(contestant, onAnswer => inParallel(pace.connections, hasMore, async () => onAnswer(await send())));

  const changes = tested.changes?.(name);
  const poster = name === 'before' ? contestant.client : contestants.carte.client;
  const writer = tested.elsewhere ? contestants.elsewhere : poster;
  let changed = 0;
  return async (): Promise<Figures> => {
    const end = performance.now() + pace.seconds * 1000;
    if (!changes) return figuresOf([await stretch(() => performance.now() < end)]);
    const stretches: Stretch[] = [];
    do {
      await postAll(changes[changed++ % changes.length] ?? [], writer);
      stretches.push(await stretch(turn => turn < requests.length));
    } while (performance.now() < end);
    return figuresOf(stretches);
  };
}

async function postAll(posts: readonly Request[], client: Client): Promise<void> {
  await Promise.all(posts.map(post => sendExpecting(client, post, 200)));
}

async function withTags(requests: readonly Request[], client: Client): Promise<Request[]> {
  return Promise.all(
    requests.map(async request => {
      const { etag } = (await sendExpecting(client, request, 200)).headers;
      if (!etag) throw new Error(`${request.path} has no ETag`);
      return { ...request, headers: { ...request.headers, 'if-none-match': etag } };
    }),
  );
}
