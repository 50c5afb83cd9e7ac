import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runImport } from '../../src/import/run.ts';
import { inMinorUnits } from '../support/amounts.ts';
import { sharedApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';

const app = await sharedApp();
const { createStore } = createOrderCalls(app);
const storeId = await createStore();

const adjustment = '{ name amount { amount } tax { amount } }';
const fields = `id price { amount } tax { amount } total { amount } serviceType table tip { amount }
  address { addressLine1 addressLine2 addressLine3 locationName city postalCode adminArea country note }
  payments { method amount { amount } reference state } charges ${adjustment} discounts ${adjustment}`;
const tryToPlace = async (given: object, lines = [line('1 cola')]) => {
  const mutation = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { ${fields} } } }`;
  const { body } = await app.graphql(mutation, { input: inputFor(storeId, lines, given) });
  return { order: inMinorUnits(body.data?.placeOrder?.order), errors: body.errors?.[0].extensions.errors };
};

const address = { addressLine1: 'Rua Augusta 1', city: 'Lisboa', postalCode: '1100-048', note: 'ring twice' };
const service = {
  serviceType: 'DELIVERY',
  table: '12b',
  address,
  payments: [
    { method: 'card', amount: 700, reference: 'pi_1', state: 'AUTHORIZED' },
    { method: 'cash', amount: 0 },
  ],
  charges: [
    { name: 'Delivery', amount: 300, tax: 56 },
    { name: 'Bag', amount: 10 },
  ],
  discounts: [{ name: 'Welcome', amount: 110, tax: 0 }],
  tip: 50,
};

describe('the service of an order', () => {
  test('is stored and returned as it was given, and total adds it to the price of the lines', async () => {
    const { order } = await tryToPlace(service);
    const none = { addressLine2: null, addressLine3: null, locationName: null, adminArea: null, country: null };
    expect(order).toEqual({
      id: order.id,
      price: 250,
      tax: 58,
      total: 250 + 310 - 110 + 50,
      ...service,
      address: { ...address, ...none },
      payments: [service.payments[0], { method: 'cash', amount: 0, reference: null, state: null }],
      charges: [service.charges[0], { name: 'Bag', amount: 10, tax: null }],
    });
    const { body } = await app.graphql(
      `query ($id: ID!) { store(id: $id) { orders(filter: { serviceTypes: [DELIVERY] }) { nodes { ${fields} } } } }`,
      { id: storeId },
    );
    expect(inMinorUnits(body.data.store.orders.nodes)).toEqual([order]);
  });

  test('is null or empty where it was not given, and does not appear in REST', async () => {
    const { order } = await tryToPlace({ serviceType: null, tip: null, charges: [] });
    expect(order).toEqual({
      ...{ id: order.id, price: 250, tax: 58, total: 250, serviceType: null, table: null, tip: null, address: null },
      ...{ payments: [], charges: [], discounts: [] },
    });
    const [plain, served] = [order, (await tryToPlace(service)).order];
    const keysOf = async ({ id }: { id: string }) => Object.keys((await app.get(`/v1/orders/${id}`)).body);
    expect(await keysOf(served)).toEqual(await keysOf(plain));
  });

  test('is refused with every amount below zero and every text that is too long, at its path', async () => {
    const { errors } = await tryToPlace({
      table: '',
      address: { city: 'x'.repeat(256), note: 'x'.repeat(1001), country: '1\0' },
      payments: [{ method: '', amount: -1, reference: 'x'.repeat(256) }],
      charges: [{ name: 'Bag', amount: 0, tax: -2 }],
      discounts: [{ name: 'x'.repeat(256), amount: -3 }],
      tip: -4,
    });
    const found = errors.map(
      ({ path, type }: { path: string[]; type: string }) => `${path.slice(1).join('.')} ${type}`,
    );
    expect(found).toEqual([
      'address.country value_error',
      'table string_too_short',
      'address.city string_too_long',
      'address.note string_too_long',
      'payments.0.method string_too_short',
      'payments.0.reference string_too_long',
      'discounts.0.name string_too_long',
      'payments.0.amount greater_than_equal',
      'charges.0.tax greater_than_equal',
      'discounts.0.amount greater_than_equal',
      'tip greater_than_equal',
    ]);
    const many = Array(21).fill({ name: 'Bag', amount: 1 });
    expect((await tryToPlace({ charges: many })).errors).toMatchObject([
      { path: ['input', 'charges'], type: 'too_long' },
    ]);
  });

  test('is refused if the total is below zero, or beyond the safe integers', async () => {
    const discount = (amount: number) => ({ discounts: [{ name: 'Voucher', amount }] });
    expect((await tryToPlace(discount(250))).order.total).toBe(0);
    const at = (message: string) => [{ path: ['input', 'discounts'], type: 'value_error', message }];
    expect((await tryToPlace({ ...discount(300), tip: 49 })).errors).toEqual(
      at('the total is -1; it must be at least 0'),
    );
    expect((await tryToPlace({ tip: Number.MAX_SAFE_INTEGER })).errors).toEqual(
      at('the total is 9007199254741241; it must be at most 2^53−1'),
    );
  });

  test('is part of what an idempotency key stands for; without it, the order has the hash that it had before', async () => {
    const input = inputFor(storeId, [line('1 cola')], { customerComments: 'hot', readyBy: '2100-01-01T00:00:00.000Z' });
    const run = (given: object) =>
      app.graphql('mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }', {
        input: { ...input, ...given },
      });
    const { id } = (await run({})).body.data.placeOrder.order;
    expect((await run({ table: null, charges: null })).body.data.placeOrder.order.id).toBe(id);
    expect((await run({ tip: 0 })).body.errors[0].extensions.errors).toMatchObject([
      { type: 'idempotency_key_reused' },
    ]);
    const { name, phone } = input.customer;
    const content = [name, phone, '2100-01-01T00:00:00.000Z', 'hot', [['cola', 1, null, []]]];
    const [row] = await app.orm.em
      .fork()
      .execute("select encode(request_hash, 'hex') as hash from order_idempotency_key where key = ?", [
        input.idempotencyKey,
      ]);
    expect(row?.hash).toBe(createHash('sha256').update(JSON.stringify(content)).digest('hex'));
  });
});

test('importing orders as the nine routes return them changes not a byte of these, and nothing that they do not have', async () => {
  const store = await createStore();
  const run = (given: object) =>
    app.graphql('mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }', {
      input: inputFor(store, [line('2 burger: size/large, toppings/cheese', { note: 'no salt' })], given),
    });
  for (const given of [{}, service]) expect((await run(given)).body.errors).toBeUndefined();
  // Items of other shapes, and numbers with digits that a double does not have, as 0.1.0 took them.
  await app.orm.em.fork().execute(
    `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
     values ('old', ?, '2026-03-01T12:00:00.120Z', 'READY', 'Ana', '', -5, 0, '[{"b": null, "price": 1.50, "a": {}}]', now(), true, false)`,
    [store],
  );
  const rest = async () => (await app.get(`/v1/stores/${store}/orders/`)).text;
  const graph = async () =>
    (
      await app.graphql(`query ($id: ID!) { store(id: $id) { orders { nodes { ${fields} steps { at keyName } } } } }`, {
        id: store,
      })
    ).body.data;
  const [restBefore, graphBefore] = [await rest(), await graph()];
  const orders: object[] = JSON.parse(restBefore).order_result_list;
  expect(orders).toHaveLength(3);
  const text =
    /"order_result_list":\[(.*)\]/s.exec(restBefore)?.[1]?.replaceAll('},{"created_at"', '}\n{"created_at"') ?? '';
  for (const status of ['CUSTOMER_CANCELLED', undefined]) {
    const lines = status ? text.replaceAll('"status":"READY"', `"status":"${status}"`) : text;
    const progress = await runImport({
      em: operatorFork(app.orm),
      kind: 'orders',
      stream: Readable.from([Buffer.from(lines)]),
      strict: true,
      onError: error => expect(error).toBeUndefined(),
      onProgress: () => {},
    });
    expect(progress).toMatchObject({ lines: 3, changed: 1 });
  }
  expect([await rest(), await graph()]).toEqual([restBefore, graphBefore]);
});

describe('OrderFilter.serviceTypes', async () => {
  const types = ['PICKUP', 'DELIVERY', 'DINE_IN', 'OTHER', null] as const;
  const store = await app.data.store();
  const orders = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const status = index % 3 === 0 ? 'READY' : 'PENDING';
      const createdAt = new Date(Date.UTC(2026, 2, 1, 12, index));
      const given = { id: randomUUID(), status, createdAt, serviceType: types[index % 5] ?? null } as const;
      await app.data.orders(store, 1, given);
      return given;
    }),
  );
  const query = `query ($id: ID!, $filter: OrderFilter, $after: String) {
    store(id: $id) { orders(filter: $filter, first: 3, after: $after) { totalCount nodes { id } pageInfo { endCursor } } }
  }`;

  interface Filter {
    readonly serviceTypes: readonly string[];
    readonly statuses?: readonly string[];
    readonly isCompleted?: boolean;
    readonly createdFrom?: string;
    readonly createdUntil?: string;
    readonly customerName?: string;
    readonly customerPhoneEndsWith?: string;
  }

  test.each<Filter>([
    { serviceTypes: ['DELIVERY'] },
    { serviceTypes: ['DINE_IN', 'OTHER', 'DINE_IN'] },
    { serviceTypes: ['PICKUP', 'OTHER'], statuses: ['READY'] },
    { serviceTypes: ['PICKUP'], isCompleted: true },
    { serviceTypes: ['DELIVERY'], createdFrom: '2026-03-01T12:10:00Z', createdUntil: '2026-03-01T12:31:00Z' },
    { serviceTypes: ['DELIVERY'], customerName: 'lima', customerPhoneEndsWith: '678' },
    { serviceTypes: [] },
  ])('finds and counts the orders of %j, page by page', async filter => {
    const { serviceTypes, statuses, isCompleted, createdFrom, createdUntil } = filter;
    const expected = orders.filter(
      order =>
        (serviceTypes.length === 0 || serviceTypes.includes(String(order.serviceType))) &&
        (!statuses || statuses.includes(order.status)) &&
        !isCompleted &&
        (!createdFrom || order.createdAt >= new Date(createdFrom)) &&
        (!createdUntil || order.createdAt <= new Date(createdUntil)),
    );
    const found: string[] = [];
    let after: string | null = null;
    for (let page = 0; page <= expected.length / 3; page++) {
      const { body } = await app.graphql(query, { id: store.id, filter, after });
      const { nodes, totalCount, pageInfo } = body.data.store.orders;
      expect(totalCount).toBe(expected.length);
      found.push(...nodes.map(({ id }: { id: string }) => id));
      after = pageInfo.endCursor;
    }
    expect(found).toEqual(expected.map(({ id }) => id).reverse());
  });
});
