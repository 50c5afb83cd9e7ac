import { randomUUID } from 'node:crypto';
import { createHttpClient } from '../request.ts';
import type { Row, Target } from '../row.ts';
import { readStream } from '../streams.ts';
import { aliased, graphqlRow } from './build.ts';

const customer = '{ name: "Ana", phone: "1" }';

const placeOrder = (storeId: string, line: string, more = '') =>
  `placeOrder(input: { storeId: ${JSON.stringify(storeId)}, idempotencyKey: "${randomUUID()}", customer: ${customer}, lines: [${line}] ${more} })`;

const allEvents = 'subscription ($id: ID!, $after: String) { orderEvents(storeId: $id, after: $after) { cursor } }';

/** Counts the events of the large store since the data was made, for a few seconds. */
async function countEvents({ url, keys, largeStoreId, firstCursor }: Target): Promise<string> {
  const variables = { id: largeStoreId, after: firstCursor };
  const { events } = await readStream(url, { key: keys.read, query: allEvents, variables, limitMs: 8_000 });
  return `${events.toLocaleString('en-US')} events read`;
}

/** Reports the price of the newest order, which must not be negative. */
async function readPrice({ url, keys, rebateStoreId }: Target): Promise<string> {
  const client = createHttpClient(url, { connections: 1, limitMs: 10_000 });
  const query = 'query ($id: ID!) { store(id: $id) { orders(first: 1) { nodes { price { amount } } } } }';
  const body = JSON.stringify({ query, variables: { id: rebateStoreId } });
  const { text } = await client.send({ path: '/graphql', headers: { 'x-api-key': keys.orders }, body });
  client.close();
  const price = /"amount":(-?\d+)/.exec(text)?.[1];
  return price === undefined ? 'no order' : `an order for ${Number(price).toLocaleString('en-US')}`;
}

const negative = { key: 'orders', requests: 2, goal: 'refused', isShort: true } as const;

/** One of each modifier of both groups of an item. */
function lineWithModifiers(item: number) {
  const groups = [0, 1].map(number => (item * 2 + number) % 300);
  return {
    itemExternalId: `item-${item}`,
    modifiers: groups.flatMap(group =>
      Array.from({ length: 4 }, (_, at) => ({
        modifierGroupExternalId: `group-${group}`,
        modifierItemExternalId: `modifier-${group * 4 + at}`,
      })),
    ),
  };
}

/** Orders that are placed and marked. */
export const orderRows: readonly Row[] = [
  graphqlRow(
    { name: 'placeOrder × 50 at the largest menu', key: 'orders', requests: 8, isShort: true },
    target => turn => ({
      query: `mutation { ${aliased(
        50,
        at => `${placeOrder(target.largeStoreId, `{ itemExternalId: "item-${turn + at}" }`)} { order { id } }`,
      )} }`,
    }),
  ),
  graphqlRow({ name: 'markOrders 50 × 500', key: 'orders', requests: 6, inspect: countEvents }, target => {
    const names = Array.from({ length: 50 }, (_, at) => `o${at}`);
    return {
      query: `mutation (${names.map(name => `$${name}: [ID!]!`).join(' ')}) { ${aliased(
        50,
        at => `markOrders(input: { orderIds: $o${at}, isRead: ${at % 2 === 0} }) { orders { id } }`,
      )} }`,
      variables: Object.fromEntries(
        names.map((name, at) => [name, target.orderIds[Math.floor(at / 2) % target.orderIds.length]]),
      ),
    };
  }),
  graphqlRow(
    { ...negative, name: '1000 × (item 500 + 1,000,000 × modifier −100)', inspect: readPrice },
    target => () => {
      const modifier =
        '{ modifierGroupExternalId: "group-0", modifierItemExternalId: "modifier-0", quantity: 1000000 }';
      const line = `{ itemExternalId: "item-0", quantity: 1000, modifiers: [${modifier}] }`;
      return { query: `mutation { ${placeOrder(target.rebateStoreId, line)} { order { id price { amount } } } }` };
    },
  ),
  graphqlRow({ name: '200 lines with 8 modifiers each × 10', key: 'orders', requests: 8 }, target => turn => ({
    query: `mutation ($lines: [OrderLineInput!]!) { ${aliased(
      10,
      () =>
        `${placeOrder(target.largeStoreId, '').replace('lines: []', 'lines: $lines')} { order { price { amount } } }`,
    )} }`,
    variables: { lines: Array.from({ length: 200 }, (_, at) => lineWithModifiers(turn * 200 + at + 1_000)) },
  })),
  graphqlRow({ name: 'changeOrderStatus × 50', key: 'orders', requests: 24 }, ({ orderIds }) => () => ({
    query: `mutation { ${aliased(
      50,
      at => `changeOrderStatus(input: { orderId: "${orderIds[0]?.[at]}", to: READY }) { order { id } }`,
    )} }`,
  })),
  graphqlRow({ ...negative, name: 'an order with a negative tax' }, target => () => {
    const modifier = '{ modifierGroupExternalId: "group-1", modifierItemExternalId: "modifier-4", quantity: 1000 }';
    const line = `{ itemExternalId: "item-0", quantity: 1000, modifiers: [${modifier}] }`;
    return {
      query: `mutation { ${placeOrder(target.rebateStoreId, line)} { order { id price { amount } tax { amount } } } }`,
    };
  }),
  graphqlRow({ ...negative, name: 'an order that was to be ready a day ago' }, target => () => {
    const readyBy = `readyBy: "${new Date(Date.now() - 24 * 3_600_000).toISOString()}"`;
    return {
      query: `mutation { ${placeOrder(target.rebateStoreId, '{ itemExternalId: "item-0" }', readyBy)} { order { id } } }`,
    };
  }),
];
