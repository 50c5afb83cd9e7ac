import { Agent } from 'node:http';
import { type Random, seededRandom } from '../../src/demo/random.ts';
import { rawStatuses, violationIn, violationInRaw } from './check.ts';
import { graphqlProbes } from './graphql.ts';
import { type MakeProbe, menuPath, type Probe, type Target } from './probe.ts';
import { rawProbe, stalledProbes } from './raw.ts';
import { restProbes } from './rest.ts';
import { type Failure, type HttpResponse, send, sendRaw } from './send.ts';

export interface FuzzOptions {
  readonly url: string;
  readonly target: Target;
  readonly requests: number;
  readonly seed: string;
  /** Sends incomplete requests, too, which last until the server's timeout. */
  readonly stalls: boolean;
  /** A response that takes longer is a violation. */
  readonly slowestMs: number;
}

export interface Outcome {
  /** Number of responses of each kind. */
  readonly counts: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
  readonly slowest: { readonly what: string; readonly milliseconds: number };
  /** The newest menu that a request stored; its text is unknown if it was sent to `/graphql`. */
  readonly stored: { readonly revision: number; readonly tree: string | undefined } | undefined;
}

const kinds = [...restProbes, ...graphqlProbes];
const shareOfRaw = 0.04;

/** Sends requests, eight at a time, and checks each response. The same seed sends the same requests. */
export async function fuzz({ url, target, requests, seed, stalls, slowestMs }: FuzzOptions): Promise<Outcome> {
  const address = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const random = seededRandom(seed);
  const counts = new Map<string, number>();
  const violations: string[] = [];
  let stored: Outcome['stored'];
  let slowest: Outcome['slowest'] = { what: 'none', milliseconds: 0 };
  let left = requests;

  const note = (kind: string, what: string, violation: string | undefined) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (violation) violations.push(`${what}: ${violation}`);
  };

  async function sendOne(probe: Probe): Promise<void> {
    const response = await send(address, agent, probe);
    if (response.milliseconds > slowest.milliseconds) slowest = { what: describe(probe), ...response };
    const write = writeIn(probe, response, target);
    if (write && write.revision >= (stored?.revision ?? 0)) stored = write;
    const violation = violationIn(probe, response, slowestMs);
    note('failure' in response ? 'no response' : String(response.status), describe(probe), violation);
  }

  async function sendBroken(probe: ReturnType<typeof rawProbe>): Promise<void> {
    const response = await sendRaw(address, probe);
    const kind = rawStatuses(response.text)[0] ?? 'hung up';
    note(`raw ${kind}`, probe.what, violationInRaw(probe, response, slowestMs));
  }

  async function sender(): Promise<void> {
    while (left-- > 0) {
      // Draws before the first await, so that the order of draws does not depend on the responses.
      if (random.chance(shareOfRaw)) await sendBroken(rawProbe(random, target));
      else await sendOne(draw(random)(random, target));
    }
  }

  const stalled = stalls ? stalledProbes(target).map(sendBroken) : [];
  await Promise.all([...stalled, ...Array.from({ length: 8 }, sender)]);
  agent.destroy();
  return { counts, violations, slowest, stored };
}

const total = kinds.reduce((sum, [times]) => sum + times, 0);

function draw(random: Random): MakeProbe {
  let point = (random.between(0, 999_999) / 1_000_000) * total;
  for (const [times, make] of kinds) {
    point -= times;
    if (point < 0) return make;
  }
  throw new Error('The kinds of requests are empty');
}

function describe({ what, method, path, headers, body }: Probe): string {
  const type = headers['content-type'] ?? '';
  return `${what}: ${method} ${path.slice(0, 200)} ${type} ${(body ?? '').toString().slice(0, 300)}`;
}

/** Returns the menu that a valid request stored. */
function writeIn({ method, path }: Probe, response: HttpResponse | Failure, target: Target): Outcome['stored'] {
  if ('failure' in response || method !== 'POST' || response.status !== 200) return undefined;
  if (path === menuPath(target)) {
    return { revision: Number(/^"(\d+)-/.exec(String(response.headers.etag))?.[1]), tree: response.text };
  }
  const revision = /"replaceMenuConfiguration":\{"revision":(\d+)/.exec(response.text)?.[1];
  return revision === undefined ? undefined : { revision: Number(revision), tree: undefined };
}
