import { randomUUID } from 'node:crypto';
import { cpuSeconds } from '../support/cpu.ts';
import { readOptions } from '../support/options.ts';
import { sendExpecting, textOf } from './support/client.ts';
import { menuOf } from './support/menu.ts';
import { type Service, withService } from './support/service.ts';

const { rounds, only } = readOptions(
  `Measures the CPU of mutations beside their cost, at a store with a menu of 20,000 entities. --only runs those whose names contain it.`,
  { rounds: 20, only: '' },
);

const storeId = 'large';
const shape = { menus: 5, categories: 95, items: 10_000, groups: 900, groupsAnItem: 3, modifiersAGroup: 10 };
const random = menuOf(shape, { seed: 'mutations', mark: 'x' });
const menu = {
  ...random,
  items: random.items.map(item => ({ ...item, in_stock: true })),
  modifier_groups: random.modifier_groups.map(group => ({ ...group, group_max: 100 })),
};

// The first item has the first three groups.
const modifiers = menu.modifier_groups
  .slice(0, shape.groupsAnItem)
  .flatMap(({ external_id: modifierGroupExternalId, modifier_item_external_ids: ids }) =>
    ids.map(modifierItemExternalId => ({ modifierGroupExternalId, modifierItemExternalId })),
  );

const orderOf = (lines: number, modifiersALine: number) => ({
  storeId,
  idempotencyKey: randomUUID(),
  customer: { name: 'Ana', phone: '1' },
  // A Monday at noon: every menu is available.
  readyBy: '2100-03-01T12:00:00Z',
  lines: Array(lines).fill({ itemExternalId: 'item-0', modifiers: modifiers.slice(0, modifiersALine) }),
});

const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
const markOrders =
  'mutation ($ids: [ID!]!, $isRead: Boolean) { markOrders(input: { orderIds: $ids, isRead: $isRead }) { orders { id } } }';
const setStock =
  'mutation ($storeId: ID!, $items: [StockInput!]!) { setStock(input: { storeId: $storeId, items: $items }) { store { menuRevision } } }';
const replace =
  'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';

type Case = readonly [name: string, query: string, variables: (round: number) => object];

const cases = (orderIds: readonly string[]): readonly Case[] => {
  const ids = (count: number) => (round: number) => ({ ids: orderIds.slice(0, count), isRead: round % 2 === 0 });
  const stock = (count: number) => (round: number) => ({
    storeId,
    items: menu.items.slice(0, count).map(({ external_id: externalId }) => ({ externalId, inStock: round % 2 === 0 })),
  });
  const input = (round: number) => ({
    input: camelCased({
      ...menu,
      storeId,
      items: menu.items.map(({ allergens, modifier_external_ids, prep_time, ...each }) => ({
        ...each,
        allergens_text: allergens,
        preparation_minutes: prep_time,
        modifier_group_external_ids: modifier_external_ids,
        price: each.price + round,
      })),
    }),
  });
  return [
    ['placeOrder, 1 line', placeOrder, () => ({ input: orderOf(1, 0) })],
    ['placeOrder, 200 lines', placeOrder, () => ({ input: orderOf(200, 0) })],
    ['placeOrder, 200 lines of 30 modifiers', placeOrder, () => ({ input: orderOf(200, 30) })],
    [
      'changeOrderStatus (a conflict)',
      `mutation ($id: ID!) {
      changeOrderStatus(input: { orderId: $id, from: READY, to: FULFILLED }) { order { id } }
    }`,
      () => ({ id: orderIds[0] }),
    ],
    ['markOrders, 1 id', markOrders, ids(1)],
    ['markOrders, 50 ids', markOrders, ids(50)],
    ['markOrders, 500 ids', markOrders, ids(500)],
    ['setStock, 1 item', setStock, stock(1)],
    ['setStock, 10,000 items', setStock, stock(10_000)],
    ['replaceMenuConfiguration, 20,000 entities', replace, input],
  ];
};

const camelCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camelCase(name), camelCased(each)]));
};

const insertOrders = `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  select gen_random_uuid()::text, '${storeId}', now(), 'PENDING', 'Ana', '1', 1, 0, '[{"external_id": "item-0", "quantity": 1}]', now(), false, false
  from generate_series(1, 500) returning id`;

async function run({ client, query: sql, serverPid, databasePid }: Service): Promise<void> {
  const post = (path: string, body: object) =>
    sendExpecting(client, { path, body: JSON.stringify(body), headers: { 'x-carte-cost': 'header' } }, 200);
  await post(`/v1/stores/${storeId}/menu_configuration/`, menu);
  const orderIds = (await sql(insertOrders)).map(({ id }) => String(id));
  for (const [name, query, variables] of cases(orderIds)) {
    if (!name.includes(only)) continue;
    const bodies = Array.from({ length: rounds }, (_, round) => ({ query, variables: variables(round) }));
    const { headers, ...first } = await post('/graphql', { query, variables: variables(1) });
    for (const body of bodies.slice(0, 4)) await post('/graphql', body);
    const before = [serverPid, databasePid].map(cpuSeconds);
    for (const body of bodies) await post('/graphql', body);
    const [server = 0, database = 0] = [serverPid, databasePid].map(
      (pid, index) => ((cpuSeconds(pid) - (before[index] ?? 0)) * 1000) / rounds,
    );
    const result = JSON.parse(textOf({ headers, ...first })).errors?.[0].message ?? 'ok';
    const cost = headers['x-carte-cost'];
    console.log(`${name}: cost ${cost}, server ${server.toFixed(1)} ms, database ${database.toFixed(1)} ms, ${result}`);
  }
}

await withService({ storeIds: [storeId], connections: 1 }, run);
