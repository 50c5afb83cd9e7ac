import { brotliDecompressSync } from 'node:zlib';
import { differenceOf } from '../../support/equality.ts';
import { type Client, type HttpResponse, inParallel, type Request, sendExpecting } from '../support/client.ts';
import { type Figures, figuresOf, measure, type Stretch, type Watched } from '../support/meter.ts';
import type { Case, ServerName } from './cases.ts';

export interface Candidate extends Watched {
  readonly client: Client;
}
export interface Candidates extends Readonly<Partial<Record<ServerName, Candidate>>> {
  readonly carte: Candidate;
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
export async function checkEquality(tested: Case, candidates: Candidates): Promise<void> {
  for (const request of tested.servers.length > 1 ? tested.requests() : []) {
    const expected = contentOf(await sendExpecting(candidates.carte.client, request, 200));
    for (const name of tested.servers.filter(server => isPrepared(server, tested))) {
      const found = contentOf(await sendExpecting(candidateOf(candidates, name).client, request, 200));
      const difference = differenceOf(expected, found);
      if (difference) throw new Error(`${request.path}: carte and ${name} differ at ${difference}`);
    }
  }
}

/** The limit server cannot replay responses that change. */
const isPrepared = (server: ServerName, { changes }: Case) => server !== 'carte' && (server !== 'limit' || !changes);

function contentOf({ headers, chunks }: HttpResponse): unknown {
  const bytes = Buffer.concat(chunks);
  const text = (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString();
  if (text.startsWith('{"errors"')) throw new Error(text.slice(0, 300));
  return JSON.parse(text);
}

/** Measures the servers alternately, each round beginning with the next one, after a round of warm-up. */
export async function measureCase(
  tested: Case,
  candidates: Candidates,
  pace: Pace,
  onProgress: (text: string) => void,
): Promise<Rounds> {
  const found = new Map<ServerName, Figures[]>(tested.servers.map(name => [name, []]));
  const runs = new Map<ServerName, () => Promise<Figures>>();
  for (const name of tested.servers) runs.set(name, await prepare(tested, name, candidates, pace));
  for (let round = 0; round <= pace.rounds; round++) {
    onProgress(`${tested.name}: ${round === 0 ? 'warming up' : `round ${round} of ${pace.rounds}`}`);
    const first = round % runs.size;
    const names = [...runs.keys()];
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const figures = await runs.get(name)?.();
      if (round > 0 && figures) found.get(name)?.push(figures);
    }
  }
  return found;
}

function candidateOf(candidates: Candidates, name: ServerName): Candidate {
  const candidate = candidates[name];
  if (!candidate) throw new Error(`There is no server ${name}`);
  return candidate;
}

async function prepare(tested: Case, name: ServerName, candidates: Candidates, pace: Pace) {
  const candidate = candidateOf(candidates, name);
  const own = tested.requests(name);
  const requests = tested.conditional ? await withEtags(own, candidate.client) : own;
  const status = tested.conditional ? 304 : 200;
  let sent = 0;
  const send = () => {
    const request = requests[sent++ % requests.length];
    if (!request) throw new Error(`${tested.name} has no requests`);
    return sendExpecting(candidate.client, request, status);
  };
  const stretch = (hasMore: (turn: number) => boolean): Promise<Stretch> =>
    measure(candidate, onResponse => inParallel(pace.connections, hasMore, async () => onResponse(await send())));

  const changes = tested.changes?.(name);
  const poster = name === 'before' || name === 'again' ? candidate.client : candidates.carte.client;
  const writer = tested.elsewhere ? candidates.elsewhere : poster;
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

async function withEtags(requests: readonly Request[], client: Client): Promise<Request[]> {
  return Promise.all(
    requests.map(async request => {
      const { etag } = (await sendExpecting(client, request, 200)).headers;
      if (!etag) throw new Error(`${request.path} has no ETag`);
      return { ...request, headers: { ...request.headers, 'if-none-match': etag } };
    }),
  );
}
