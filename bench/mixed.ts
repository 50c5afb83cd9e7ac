/**
 * Mixes writes and reads: cache hit rate, CPU per request, and stale responses:
 *   npx node bench/mixed.ts [--seconds 20] [--writes 0.5] [--stores 40] [--connections 8]
 * Every POST changes the whole menu of a store; every read is checked against the writes acknowledged before it.
 */
import { parseArgs } from 'node:util';
import { checkHistory, type Read, type Write } from '../drills/support/history.ts';
import { marksIn, revisionIn } from '../drills/support/menu.ts';
import { seededRandom } from '../src/demo/random.ts';
import { type Answer, type Client, inParallel, sendExpecting, textOf } from './support/client.ts';
import { menuOf } from './support/menu.ts';
import { figuresOf, measure } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    writes: { type: 'string', default: '0.5' },
    stores: { type: 'string', default: '40' },
    connections: { type: 'string', default: '8' },
  },
});
const connections = Number(values.connections);
const shape = { menus: 1, categories: 6, items: 50, groups: 10, groupsAnItem: 2, modifiersAGroup: 5 };

interface History {
  readonly path: string;
  readonly writes: Write[];
  readonly reads: Read[];
}
const histories: readonly History[] = Array.from({ length: Number(values.stores) }, (_, at) => ({
  path: `/v1/stores/store-${at}/menu_configuration/`,
  writes: [],
  reads: [],
}));

const revisionOf = ({ headers }: Answer) => revisionIn(headers.etag ?? null);

async function write({ path, writes }: History, number: number, client: Client): Promise<Answer> {
  const mark = `w0-${number}`;
  const body = JSON.stringify(menuOf(shape, { seed: path, mark }));
  const answer = await sendExpecting(client, { path, body }, 200);
  writes.push({ mark, begun: answer.begun, ended: answer.ended, revision: revisionOf(answer) });
  return answer;
}

async function read({ path, reads }: History, client: Client): Promise<Answer> {
  const answer = await sendExpecting(client, { path }, 200);
  const { begun, ended } = answer;
  reads.push({ marks: marksIn(textOf(answer)), begun, ended, revision: revisionOf(answer), kind: 'tree' });
  return answer;
}

/** Sends random writes and reads, reproducible as far as responses arrive in the same order. */
async function mix(client: Client, onAnswer: (answer: Answer) => void): Promise<void> {
  const random = seededRandom('mixed');
  const end = performance.now() + Number(values.seconds) * 1000;
  await inParallel(
    connections,
    () => performance.now() < end,
    async turn => {
      const history = random.pick(histories);
      const isWrite = random.chance(Number(values.writes));
      onAnswer(await (isWrite ? write(history, histories.length + turn, client) : read(history, client)));
    },
  );
}

async function lookups(url: string): Promise<{ readonly hits: number; readonly misses: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (outcome: string) =>
    Number(
      new RegExp(`^carte_response_cache_lookups_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  return { hits: count('hit'), misses: count('miss') };
}

async function faultsOf(history: History, client: Client): Promise<string[]> {
  const answer = await sendExpecting(client, { path: history.path }, 200);
  const final = { marks: marksIn(textOf(answer)), revision: revisionOf(answer) };
  return checkHistory(history.writes, history.reads, final).map(fault => `${history.path}: ${fault}`);
}

async function main(service: Service): Promise<void> {
  const { client, url } = service;
  for (const [number, history] of histories.entries()) await write(history, number, client);

  const before = await lookups(url);
  const figures = figuresOf([await measure(service, onAnswer => mix(client, onAnswer))]);
  const after = await lookups(url);
  const [hits, misses] = [after.hits - before.hits, after.misses - before.misses];
  const reads = histories.reduce((sum, history) => sum + history.reads.length, 0);
  console.log(`${figures.requests} requests, ${reads} of them reads, ${figures.perSecond.toFixed(0)} per second`);
  console.log(`CPU per request: ${figures.server.toFixed(2)} ms server, ${figures.database.toFixed(2)} ms database`);
  console.log(`p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms`);
  console.log(`Cache hits: ${hits} of ${hits + misses}, ${((100 * hits) / (hits + misses)).toFixed(1)} %`);

  const faults = (await Promise.all(histories.map(history => faultsOf(history, client)))).flat();
  console.log(
    faults.length === 0 ? 'no stale response' : `${faults.length} violations, e.g.\n${faults.slice(0, 10).join('\n')}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

await withService({ storeIds: histories.map((_, at) => `store-${at}`), connections }, main);
