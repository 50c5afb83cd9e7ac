import { describe, expect, test } from 'vitest';
import type { KeyRequest } from '../../src/auth/validate.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { verifyCounters } from '../../src/order/counters.ts';
import type { Store } from '../../src/store/entities.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line, mutations } from '../support/evening.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const app = await startApp();
const { createStore, place, change, changeAt, mark } = createOrderCalls(app);
const { primary } = await createReadAccess(app.orm);

describe('changeOrderStatus', async () => {
  const storeId = await createStore();
  const statuses = ['PENDING', 'ACCEPTED', 'READY', 'FULFILLED', 'REJECTED', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED'];
  const table: Record<string, readonly string[]> = {
    PENDING: ['ACCEPTED', 'REJECTED', 'CUSTOMER_CANCELLED'],
    ACCEPTED: ['READY', 'STORE_CANCELLED', 'CUSTOMER_CANCELLED'],
    READY: ['FULFILLED', 'STORE_CANCELLED'],
  };

  test.each(statuses)('from %s leads to the statuses of the table and to no other', async from => {
    const store = await app.data.store();
    const orders = await app.data.orders(store, statuses.length, { status: from as 'PENDING' });
    for (const [index, to] of statuses.entries()) {
      const { order, error } = await change(orders[index]?.id ?? '', to);
      const allowed = table[from] ?? [];
      if (allowed.includes(to)) {
        expect(order).toMatchObject({ status: to, nextStatuses: table[to] ?? [] });
        expect(order.completedAt === null).toBe(table[to] !== undefined);
      } else {
        const next =
          allowed.length > 0 ? `only ${allowed.join(', ').replace(/, (\w+)$/, ' or $1')}` : 'since it is completed';
        const message = `an order that is ${from} cannot become ${to}, ${next}`;
        expect(error?.extensions.errors).toEqual([{ path: ['input', 'to'], type: 'invalid_transition', message }]);
      }
    }
  });

  test('by two callers at once succeeds for one, and is a conflict for the other', async () => {
    const outcomes = { changed: 0, CONFLICT: 0 };
    for (let round = 0; round < 10; round++) {
      const { id } = await place(storeId, ['1 cola']);
      const both = await Promise.all([change(id, 'ACCEPTED', 'PENDING'), change(id, 'REJECTED', 'PENDING')]);
      for (const { error } of both) outcomes[error ? (error.extensions.code as 'CONFLICT') : 'changed'] += 1;
    }
    expect(outcomes).toEqual({ changed: 10, CONFLICT: 10 });
    const { body } = await app.graphql(
      'query ($id: ID!) { store(id: $id) { orders { nodes { status steps { status } } } } }',
      { id: storeId },
    );
    for (const { status, steps } of body.data.store.orders.nodes) {
      expect(steps).toEqual([{ status: 'PENDING' }, { status }]);
    }
    expect(await verifyCounters(operatorFork(app.orm))).toEqual([]);
  });

  test('of a revision by two callers at once succeeds for one, and is a conflict for the other', async () => {
    const outcomes = { changed: 0, CONFLICT: 0 };
    for (let round = 0; round < 10; round++) {
      const { id, revision: expectedRevision } = await place(storeId, ['1 cola']);
      const both = await Promise.all([
        changeAt(id, { to: 'ACCEPTED', expectedRevision }),
        changeAt(id, { to: round % 2 ? 'ACCEPTED' : 'REJECTED', expectedRevision }),
      ]);
      for (const { error } of both) outcomes[error ? (error.extensions.code as 'CONFLICT') : 'changed'] += 1;
    }
    expect(outcomes).toEqual({ changed: 10, CONFLICT: 10 });
  });

  test('of a revision that has passed is a conflict and changes nothing, whatever has changed and is possible', async () => {
    const { id, revision } = await place(storeId, ['1 cola']);
    const { orders } = await mark([id], { isRead: true });
    expect(orders[0].revision).toBeGreaterThan(revision);
    const message = `The order is no longer at revision ${revision}.`;
    const stale = { message, extensions: { code: 'CONFLICT' } };
    for (const to of ['ACCEPTED', 'FULFILLED']) {
      expect((await changeAt(id, { to, expectedRevision: revision })).error).toMatchObject(stale);
      expect((await changeAt(id, { to, expectedRevision: revision, idempotent: true })).error).toMatchObject(stale);
    }
    const accepted = await changeAt(id, { to: 'ACCEPTED', expectedRevision: orders[0].revision });
    expect(accepted.order.revision).toBeGreaterThan(orders[0].revision);
    expect(
      (await changeAt(id, { to: 'READY', from: 'PENDING', expectedRevision: accepted.order.revision })).error,
    ).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
    const repeated = await changeAt(id, { to: 'ACCEPTED', expectedRevision: revision, idempotent: true });
    expect(repeated).toEqual(accepted);
  });

  test('returns the revision that is read from then on, in lists as well, by no further statement', async () => {
    const { id: ownId } = await app.data.store();
    await app.data.orders({ id: ownId } as Store, 3);
    const read = (field: string) =>
      app.statements.during(async () => {
        const text = `query ($id: ID!) { store(id: $id) { orders(first: 3) { nodes { id ${field} } } } }`;
        return (await app.graphql(text, { id: ownId })).body.data.store.orders.nodes;
      });
    const [without, before] = [await read(''), await read('revision')];
    expect(before.statements).toHaveLength(without.statements.length);
    const { order } = await change(before.result[0].id, 'ACCEPTED');
    expect(order.revision).toBeGreaterThan(before.result[0].revision);
    expect((await read('revision')).result).toEqual([
      { id: order.id, revision: order.revision },
      ...before.result.slice(1),
    ]);
  });

  test('is one prepared statement', async () => {
    const { id } = await place(storeId, ['1 cola']);
    const { statements } = await app.statements.during(() => change(id, 'ACCEPTED', 'PENDING'));
    const writes = statements.filter(text => /^\s*(?:insert|update|delete|begin|with)\b/i.test(text));
    expect(writes).toEqual([expect.stringMatching(/^\s*update orders set status .* \/\* carte_\S+ \*\/$/s)]);
  });

  test('names the current status in a conflict, and changes nothing', async () => {
    const { id } = await place(storeId, ['1 cola']);
    await change(id, 'ACCEPTED');
    const { error } = await change(id, 'REJECTED', 'PENDING');
    expect(error).toMatchObject({
      message: 'The order is ACCEPTED, not PENDING.',
      extensions: { code: 'CONFLICT' },
    });
  });

  test('reads its own writes: mutations of one request see each other', async () => {
    const { id } = await place(storeId, ['1 cola']);
    const order = 'order { status store { ordersRevision orders(filter: { statuses: [READY] }) { totalCount } } }';
    const { body } = await app.graphql(`mutation {
      one: changeOrderStatus(input: { orderId: "${id}", to: ACCEPTED }) { ${order} }
      two: changeOrderStatus(input: { orderId: "${id}", to: READY }) { ${order} }
    }`);
    const [one, two] = [body.data.one.order, body.data.two.order];
    expect([one.status, two.status]).toEqual(['ACCEPTED', 'READY']);
    expect(two.store.ordersRevision).toBeGreaterThan(one.store.ordersRevision);
    expect(two.store.orders.totalCount).toBe(one.store.orders.totalCount + 1);
  });
});

describe('the steps of an order', async () => {
  const storeId = await createStore();
  const fields = 'status statusReason confirmedReadyBy completedAt steps { at status keyName reason confirmedReadyBy }';
  const read = async (id: string, key = app.key) => {
    const query = `query ($id: ID!) { order(id: $id) { createdAt ${fields} } }`;
    return (await app.graphql(query, { id }, { 'x-api-key': key })).body.data.order;
  };
  const changeWith = async (id: string, to: string, details: object = {}, key = app.key) => {
    const mutation = `mutation ($id: ID!, $to: OrderStatus!, $reason: String, $readyBy: DateTime) {
      changeOrderStatus(input: { orderId: $id, to: $to, reason: $reason, confirmedReadyBy: $readyBy }) { order { ${fields} } }
    }`;
    const { body } = await app.graphql(mutation, { id, to, ...details }, { 'x-api-key': key });
    return { order: body.data?.changeOrderStatus?.order, errors: body.errors?.[0].extensions.errors };
  };

  test('are its statuses with their times, keys, reasons and confirmed times', async () => {
    const kitchen = await app.newKey({ name: 'kitchen' });
    const { id } = await place(storeId, ['1 cola']);
    const readyBy = '2100-01-01T12:00:00.000Z';
    await changeWith(id, 'ACCEPTED', { readyBy }, kitchen);
    await changeWith(id, 'READY', { reason: '' });
    const { order } = await changeWith(id, 'STORE_CANCELLED', { reason: 'the courier is ill' }, kitchen);
    const { createdAt, ...stored } = await read(id);
    expect(stored).toEqual(order);
    expect(order).toEqual({
      ...{ status: 'STORE_CANCELLED', statusReason: 'the courier is ill', confirmedReadyBy: readyBy },
      completedAt: order.steps[3].at,
      steps: [
        { at: createdAt, status: 'PENDING', keyName: 'test', reason: null, confirmedReadyBy: null },
        { at: expect.any(String), status: 'ACCEPTED', keyName: 'kitchen', reason: null, confirmedReadyBy: readyBy },
        { at: expect.any(String), status: 'READY', keyName: 'test', reason: null, confirmedReadyBy: null },
        {
          at: expect.any(String),
          status: 'STORE_CANCELLED',
          keyName: 'kitchen',
          reason: 'the courier is ill',
          confirmedReadyBy: null,
        },
      ],
    });
    const times = order.steps.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort());
  });

  test('name the key to keys with ORDERS or ADMIN alone', async () => {
    const { id } = await place(storeId, ['1 cola']);
    const namesFor = async (permissions: KeyRequest['permissions']) =>
      (await read(id, await app.newKey({ permissions }))).steps.map(
        ({ keyName }: { keyName: string | null }) => keyName,
      );
    expect(await namesFor(['ORDERS'])).toEqual(['test']);
    expect(await namesFor(['ADMIN'])).toEqual(['test']);
    expect(await namesFor(['STOCK', 'MENU'])).toEqual([null]);
    expect(await namesFor([])).toEqual([null]);
  });

  test('are none of an order of before, and begin with its next change', async () => {
    const [order] = await app.data.orders(await app.data.store(), 1);
    const id = String(order?.id);
    expect(await read(id)).toMatchObject({ statusReason: null, confirmedReadyBy: null, steps: [] });
    await changeWith(id, 'REJECTED', { reason: 'closed' });
    expect(await read(id)).toMatchObject({ statusReason: 'closed', steps: [{ status: 'REJECTED', keyName: 'test' }] });
    // As an import does.
    await app.data.orders({ id: String(order?.store) } as Store, 1, {
      id,
      status: 'READY',
      steps: (await read(id)).steps,
    });
    expect(await read(id)).toMatchObject({ status: 'READY', statusReason: null, steps: [{ status: 'REJECTED' }] });
  });

  test('are not changed by a call with any error, all of which it names', async () => {
    const { id } = await place(storeId, ['1 cola']);
    const details = { reason: 'x'.repeat(1001), readyBy: '2020-01-01T00:00:00Z' };
    const { errors } = await changeWith(id, 'FULFILLED', details);
    expect(errors).toMatchObject([
      { path: ['input', 'to'], type: 'invalid_transition' },
      { path: ['input', 'reason'], type: 'string_too_long' },
      { path: ['input', 'confirmedReadyBy'], type: 'value_error' },
    ]);
    expect((await changeWith(id, 'ACCEPTED', { reason: 'a\0' })).errors).toMatchObject([{ path: ['input', 'reason'] }]);
    expect((await read(id)).steps).toHaveLength(1);
  });
});

describe('markOrders', async () => {
  const storeId = await createStore();

  test('changes nothing if any id is unknown or out of scope, and names those alike', async () => {
    const { id } = await place(storeId, ['1 cola']);
    const other = await place(await createStore(), ['1 cola']);
    const key = await app.newKey({ storeIds: [storeId] });
    const ids = [id, other.id, 'none'];
    const { error } = await mark(ids, { inPos: true }, key);
    const unknown = (index: number) => ({
      path: ['input', 'orderIds', index],
      type: 'reference_not_found',
      message: `no order with the id "${ids[index]}" is in the scope of the API key`,
    });
    expect(error?.extensions).toEqual({ code: 'BAD_USER_INPUT', errors: [unknown(1), unknown(2)] });
    expect((await app.get(`/v1/orders/${id}`)).body.in_pos).toBe(false);
  });

  test('needs 1 to 500 ids and a mark', async () => {
    expect((await mark([], {})).error?.extensions.errors).toMatchObject([
      { path: ['input', 'orderIds'], type: 'too_short' },
      { path: ['input', 'isRead'], type: 'missing' },
    ]);
    expect((await mark(Array(501).fill('x'), { inPos: true })).error?.extensions.errors).toMatchObject([
      { type: 'too_long' },
    ]);
  });

  test('changes the given marks of orders at several stores, and back', async () => {
    const [one, two] = [await place(storeId, ['1 cola']), await place(await createStore(), ['1 cola'])];
    const marks = (orders: (typeof one)[]) => orders.map(({ isRead, inPos }) => [isRead, inPos]);
    expect(marks((await mark([one.id, two.id], { isRead: true, inPos: true })).orders)).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(marks((await mark([two.id, two.id], { inPos: false })).orders)).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  test('of more than 50 orders is one event for each store', async () => {
    const stores = [await app.data.store(), await app.data.store()];
    const orders = await Promise.all(stores.map(store => app.data.orders(store, 26)));
    const ids = orders.flat().map(({ id }) => id);
    const kindsOf = async (marks: object, count: number) => {
      const after = await endOfLog(primary);
      expect((await mark(ids.slice(0, count), marks)).orders).toHaveLength(count);
      return (await readEvents(primary, { after, limit: 100 })).map(({ kind }) => kind);
    };
    expect(await kindsOf({ isRead: true }, 50)).toEqual(Array(50).fill('ORDER_CHANGED'));
    expect(await kindsOf({ inPos: true }, 52)).toEqual(['ORDERS_CHANGED', 'ORDERS_CHANGED']);
  });
});

describe('the permission ORDERS', async () => {
  const storeId = await createStore();
  const { id } = await place(storeId, ['1 cola']);
  const calls = [
    [mutations.placeOrder, { input: inputFor(storeId, [line('1 cola')]) }],
    [mutations.changeOrderStatus, { id, to: 'ACCEPTED' }],
    [mutations.markOrders, { ids: [id], inPos: true }],
  ] as const;

  test.each([
    { permissions: [], message: 'This API key may only read.' },
    {
      permissions: ['STOCK', 'MENU'] as const,
      message: 'This API key does not have the permission ORDERS; it has STOCK, MENU.',
    },
  ])('is required of a key with $permissions', async ({ permissions, message }) => {
    const key = await app.newKey({ permissions });
    for (const [query, variables] of calls) {
      const { body } = await app.graphql(query, variables, { 'x-api-key': key });
      expect(body.errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }]);
    }
    const key2 = await app.newKey({ permissions: ['ORDERS'] });
    expect(
      (await app.graphql(mutations.changeOrderStatus, { id: 'none', to: 'READY' }, { 'x-api-key': key2 })).body,
    ).toEqual({
      data: { changeOrderStatus: null },
    });
  });
});
