import { cpuSeconds } from '../../support/cpu.ts';
import { orderOf } from '../../support/fair-shares/data.ts';
import {
  createHttpClient,
  describeResponse,
  type HttpClient,
  type HttpRequest,
} from '../../support/fair-shares/request.ts';
import { readStream } from '../../support/fair-shares/streams.ts';
import type { Field } from './measure.ts';
import type { Drilled } from './service.ts';

/** What an honest caller with much data did, and what it got; CPU in seconds. */
export interface HonestStep {
  readonly name: string;
  readonly outcome: string;
  readonly holds: boolean;
  readonly ms: number;
  readonly cpu: number;
  readonly bytes: number;
}

const limitMs = 60_000;
const streams = 100;
const eventsAStream = 3;
const importedOrders = 5_000;

const wholeGraph = `query ($id: ID!) {
  store(id: $id) {
    menus {
      externalId
      name { translations }
      categories {
        externalId
        name { translations }
        items {
          externalId
          name { translations }
          price { amount }
          modifierGroups { externalId groupMax modifierItems { externalId name { translations } priceChange { amount } } }
        }
      }
    }
  }
}`;
const historyPage = 'query ($id: ID!) { store(id: $id) { menuHistory { nodes { revision summary createdAt } } } }';
const comparison = `query ($id: ID!, $from: SafeInt!, $to: SafeInt!) {
  store(id: $id) { menuChanges(from: $from, to: $to) { totalCount summary entities { externalId summary } } }
}`;
const pastConfiguration = `query ($id: ID!, $from: SafeInt!) {
  store(id: $id) { menuConfigurationAt(revision: $from) { items { externalId price { amount } } } }
}`;
const markOrder =
  'mutation ($ids: [ID!]!, $isRead: Boolean!) { markOrders(input: { orderIds: $ids, isRead: $isRead }) { orders { id } } }';
const watchOrders =
  'subscription ($id: ID!) { orderEvents(storeId: $id) { cursor kind order { id status customer { name } } } }';

/** Requests whose sizes are published, one after the other; then a hundred streams, with an import of orders beside them. */
export async function runHonest(drilled: Drilled, field: Field): Promise<readonly HonestStep[]> {
  const { pid, target } = field;
  const client = createHttpClient(target.url, { connections: 8, limitMs });
  const step = async (name: string, work: () => Promise<Pick<HonestStep, 'outcome' | 'holds' | 'bytes'>>) => {
    const [begun, before] = [performance.now(), cpuSeconds(pid)];
    const done = await work();
    return { name, ...done, ms: performance.now() - begun, cpu: cpuSeconds(pid) - before };
  };
  const steps: HonestStep[] = [];
  for (const [name, request] of requestsOf(field)) {
    steps.push(
      await step(name, async () => {
        const response = await client.send(request);
        const outcome = describeResponse(response);
        return { outcome, holds: outcome === '200', bytes: Buffer.byteLength(response.text) };
      }),
    );
  }
  const besides = [
    step(`${streams} streams of one key with ${eventsAStream} live events each`, () => watchAll(client, field)),
    step(`import of ${importedOrders} orders beside them`, () => importOrders(drilled, field)),
  ];
  steps.push(...(await Promise.all(besides)));
  client.close();
  return steps;
}

function requestsOf({ target }: Field): readonly (readonly [string, HttpRequest])[] {
  const { largeStoreId: id, keys, revisions, menuBody } = target;
  const [from, , to] = revisions;
  const headers = { 'x-api-key': keys.write };
  const menu = `/v1/stores/${id}/menu_configuration/`;
  const graphql = (query: string): HttpRequest => ({
    path: '/graphql',
    headers,
    body: JSON.stringify({ query, variables: { id, from, to } }),
  });
  return [
    ['the whole tree', { path: menu, headers }],
    ['the whole flat form', { path: `${menu}flat`, headers }],
    ['the whole graph', graphql(wholeGraph)],
    ['a page of the history', graphql(historyPage)],
    ['one comparison', graphql(comparison)],
    ['one past configuration', graphql(pastConfiguration)],
    ['POST of the menu', { path: menu, headers, body: menuBody }],
  ];
}

/** Opens streams at half as many stores, changes an order of each store several times, and counts what arrives. */
async function watchAll(client: HttpClient, { target: { url, keys, storeIds } }: Field) {
  const watched = storeIds.slice(0, streams / 2);
  let open = 0;
  const allOpen = Promise.withResolvers<void>();
  const onOpen = () => {
    open += 1;
    if (open === streams) allOpen.resolve();
  };
  const reading = Array.from({ length: streams }, (_, at) => {
    const variables = { id: watched[at % watched.length] };
    const options = {
      key: keys.orders,
      query: watchOrders,
      variables,
      limitMs: 30_000,
      maxEvents: eventsAStream,
      onOpen,
    };
    return readStream(url, options);
  });
  await Promise.race([allOpen.promise, Promise.all(reading)]);
  const headers = { 'x-api-key': keys.orders };
  const statuses = new Set<string>();
  for (let round = 0; round < eventsAStream; round++) {
    for (const storeId of watched) {
      const variables = { ids: [orderOf(storeId, 0).id], isRead: round % 2 === 0 };
      const body = JSON.stringify({ query: markOrder, variables });
      statuses.add(describeResponse(await client.send({ path: '/graphql', headers, body })));
    }
  }
  const results = await Promise.all(reading);
  for (const { outcome } of results) statuses.add(outcome);
  const events = results.reduce((sum, result) => sum + result.events, 0);
  const holds = [...statuses].every(status => status === '200') && events === streams * eventsAStream;
  return { outcome: `${[...statuses].join(', ')}, ${events} of ${streams * eventsAStream} events`, holds, bytes: 0 };
}

/** Imports orders of a store that no stream watches. */
async function importOrders(drilled: Drilled, { target: { storeIds } }: Field) {
  const storeId = storeIds.at(-1) ?? '';
  const orders = Array.from({ length: importedOrders }, (_, at) => orderOf(storeId, 10_000 + at));
  try {
    await drilled.importDocuments('orders', orders);
    return { outcome: 'imported', holds: true, bytes: 0 };
  } catch (error) {
    return { outcome: String(error), holds: false, bytes: 0 };
  }
}
