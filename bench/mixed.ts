import { seededRandom } from '../src/demo/random.ts';
import { readOptions } from '../support/options.ts';
import { type Client, type HttpResponse, inParallel, sendExpecting } from './support/client.ts';
import { menuOf } from './support/menu.ts';
import { figuresOf, measure } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const { seconds, writes, stores, connections } = readOptions(
  `Mixes writes and reads: cache hit rate and CPU per request. Every POST changes the whole menu of a store; --writes is their share.`,
  { seconds: 20, writes: 0.5, stores: 40, connections: 8 },
);
const shape = { menus: 1, categories: 6, items: 50, groups: 10, groupsAnItem: 2, modifiersAGroup: 5 };
const storeIds = Array.from({ length: stores }, (_, at) => `store-${at}`);
const pathOf = (storeId: string) => `/v1/stores/${storeId}/menu_configuration/`;

function write(storeId: string, number: number, client: Client): Promise<HttpResponse> {
  const body = JSON.stringify(menuOf(shape, { seed: storeId, mark: `w${number}` }));
  return sendExpecting(client, { path: pathOf(storeId), body }, 200);
}

/** Sends random writes and reads, reproducible as far as responses arrive in the same order. */
async function mix(client: Client, onResponse: (response: HttpResponse) => void): Promise<number> {
  const random = seededRandom('mixed');
  const end = performance.now() + seconds * 1000;
  let reads = 0;
  await inParallel(
    connections,
    () => performance.now() < end,
    async turn => {
      const storeId = random.pick(storeIds);
      const isWrite = random.chance(writes);
      if (!isWrite) reads++;
      const read = () => sendExpecting(client, { path: pathOf(storeId) }, 200);
      onResponse(await (isWrite ? write(storeId, storeIds.length + turn, client) : read()));
    },
  );
  return reads;
}

async function lookups(url: string): Promise<{ readonly hits: number; readonly misses: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (outcome: string) =>
    Number(
      new RegExp(`^carte_response_cache_lookups_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  return { hits: count('hit'), misses: count('miss') };
}

async function main(service: Service): Promise<void> {
  const { client, url } = service;
  for (const [number, storeId] of storeIds.entries()) await write(storeId, number, client);

  const before = await lookups(url);
  let reads = 0;
  const stretch = await measure(service, async onResponse => {
    reads = await mix(client, onResponse);
  });
  const figures = figuresOf([stretch]);
  const after = await lookups(url);
  const [hits, misses] = [after.hits - before.hits, after.misses - before.misses];
  console.log(`${figures.requests} requests, ${reads} of them reads, ${figures.perSecond.toFixed(0)} per second`);
  console.log(`CPU per request: ${figures.server.toFixed(2)} ms server, ${figures.database.toFixed(2)} ms database`);
  console.log(`p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms`);
  console.log(`Cache hits: ${hits} of ${hits + misses}, ${((100 * hits) / (hits + misses)).toFixed(1)} %`);
}

await withService({ storeIds, connections }, main);
