import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { runDueTimes } from '../../src/events/due-times.ts';
import { saveStores } from '../../src/store/save.ts';
import { formerCursor, openStream } from '../../support/streams.ts';
import { waitUntil } from '../http/processes.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const app = await startApp();
const { createStore, place, tryToPlace, postMenu } = createOrderCalls(app);
const { primary } = await createReadAccess(app.orm);
const start = await endOfLog(primary);
const timeout = 120_000;

const mutation = `mutation ($storeId: ID!, $state: OrderingState!, $until: DateTime, $delayMinutes: Int, $reason: String) {
  setStoreOrdering(input: { storeId: $storeId, state: $state, until: $until, delayMinutes: $delayMinutes, reason: $reason }) {
    store { ordering { state until delayMinutes reason } }
  }
}`;
const query = 'query ($id: ID!) { store(id: $id) { ordering { state until delayMinutes reason } } }';
const open = { state: 'OPEN', until: null, delayMinutes: null, reason: null };

const call = async (storeId: string, change: object, key = app.key) =>
  (await app.graphql(mutation, { storeId, ...change }, { 'x-api-key': key })).body;
const set = async (storeId: string, change: object) =>
  (await call(storeId, change)).data.setStoreOrdering.store.ordering;
const orderingOf = async (id: string) => (await app.graphql(query, { id })).body.data.store.ordering;
const eventsOf = async (storeId: string) =>
  (await readEvents(primary, { after: start, limit: 1_000, storeId })).map(({ kind }) => kind);
const changesOf = async (storeId: string) =>
  (await eventsOf(storeId)).filter(kind => kind === 'ORDERING_CHANGED').length;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const soup = (storeId: string, more: object = {}) => inputFor(storeId, [line('1 burger: size/large')], more);

/** A quote without what only an order has. */
async function quote({ idempotencyKey: _key, customer: _guest, ...input }: ReturnType<typeof inputFor>) {
  const text =
    'query ($input: QuoteOrderInput!) { quoteOrder(input: $input) { readyBy problems { path message code } } }';
  return (await app.graphql(text, { input })).body.data.quoteOrder;
}

describe('setStoreOrdering', () => {
  test('sets the preparation time of a store, for orders of items that have none', async () => {
    const storeId = await createStore();
    const setMinutes = (preparationMinutes: number) =>
      app.graphql(
        'mutation ($input: SetStoreOrderingInput!) { setStoreOrdering(input: $input) { store { ordering { state preparationMinutes } } } }',
        { input: { storeId, preparationMinutes } },
      );
    const { body: refused } = await setMinutes(1441);
    expect(refused.errors[0].extensions.errors).toMatchObject([
      { path: ['input', 'preparationMinutes'], message: '1441 is not a number of minutes from 0 to 1440' },
    ]);
    const minutesOf = async (text: string) => {
      const { readyBy } = await quote(inputFor(storeId, [line(text)]));
      return Math.round((Date.parse(readyBy) - Date.now()) / 60_000) + 0;
    };
    expect(await minutesOf('1 soup')).toBe(0);
    const { body } = await setMinutes(25);
    expect(body.data.setStoreOrdering.store.ordering).toEqual({ state: 'OPEN', preparationMinutes: 25 });
    expect([await minutesOf('1 soup'), await minutesOf('1 burger: size/large')]).toEqual([25, 15]);
    await setMinutes(25);
    expect(await changesOf(storeId)).toBe(1);
  });

  test('reports every error', async () => {
    const { id } = await app.data.store();
    const errorsOf = async (change: object) =>
      (await call(id, change)).errors[0].extensions.errors.map(
        ({ path, message }: { path: string[]; message: string }) => [path.join('.'), message],
      );
    const past = '2026-01-01T00:00:00.000Z';
    expect(await errorsOf({ state: 'OPEN', until: inMinutes(5), reason: 'x', delayMinutes: 5 })).toEqual([
      ['input.until', 'a store that is OPEN has no until'],
      ['input.reason', 'a store that is OPEN has no reason'],
      ['input.delayMinutes', 'only a store that is BUSY has a delay, not OPEN'],
    ]);
    expect(await errorsOf({ state: 'BUSY', until: past, reason: 'x'.repeat(256) })).toEqual([
      ['input.until', expect.stringMatching(`^${past} is not in the future; it is `)],
      ['input.delayMinutes', 'a store that is BUSY needs a delay of 1 to 1440 minutes, not none'],
      ['input.reason', 'the text has 256 characters; at most 255 are allowed'],
    ]);
    expect(await errorsOf({ state: 'BUSY', delayMinutes: 1441 })).toHaveLength(1);
    expect(await errorsOf({ state: 'PAUSED', reason: '\0' })).toHaveLength(1);
    expect(await orderingOf(id)).toEqual(open);
  });

  test('needs the permission and the scope', async () => {
    const { id } = await app.data.store();
    const reader = await app.newKey({ permissions: ['STOCK', 'MENU'] });
    expect((await call(id, { state: 'PAUSED' }, reader)).errors[0].extensions.code).toBe('FORBIDDEN');
    const other = await app.newKey({ storeIds: [(await app.data.store()).id] });
    expect((await call(id, { state: 'PAUSED' }, other)).data).toEqual({ setStoreOrdering: null });
    expect(await orderingOf(id)).toEqual(open);
  });

  test('while a store is paused, orders are refused with the reason, and repeated calls return their orders', async () => {
    const id = await createStore();
    const input = soup(id);
    const first = await tryToPlace(input);
    const until = inMinutes(60).toISOString();
    const paused = { state: 'PAUSED', until, delayMinutes: null, reason: 'no gas' };
    expect(await set(id, { state: 'PAUSED', until, reason: 'no gas' })).toEqual(paused);
    await set(id, { state: 'PAUSED', until, reason: 'no gas' });
    await waitUntil(async () => (await changesOf(id)) > 0);
    expect((await eventsOf(id)).slice(-2)).toEqual(['ORDER_PLACED', 'ORDERING_CHANGED']);

    const { error } = await tryToPlace({ ...soup(id), lines: [line('1 pizza')] });
    expect(error?.extensions.errors.map(({ path, type, message }) => [path.join('.'), type, message])).toEqual([
      ['input.storeId', 'store_paused', `the store takes no orders until ${until} (no gas)`],
      ['input.lines.0.itemExternalId', 'reference_not_found', 'no item has the external id "pizza"'],
    ]);
    expect((await quote(soup(id))).problems).toEqual([
      {
        path: ['input', 'storeId'],
        code: 'STORE_PAUSED',
        message: `the store takes no orders until ${until} (no gas)`,
      },
    ]);
    expect((await tryToPlace(input)).order.id).toBe(first.order.id);

    await postMenu(id, [], 1);
    const saved = { id, name: {}, createdAt: null, timezone: 'Europe/Paris' };
    await saveStores(operatorFork(app.orm), [saved]);
    expect(await orderingOf(id)).toEqual(paused);
    expect(await set(id, { state: 'OPEN' })).toEqual(open);
    await place(id, ['1 cola']);
    expect((await primary('select from due_time where store_id = $1', [id])).length).toBe(0);
  });

  test('while a store is busy, orders are ready later, and none may be earlier', async () => {
    const id = await createStore();
    const minutes = ({ readyBy, createdAt }: { readyBy: string; createdAt: string }) =>
      (Date.parse(readyBy) - Date.parse(createdAt)) / 60_000;
    expect(minutes(await place(id, ['1 burger: size/large']))).toBe(15);
    await set(id, { state: 'BUSY', delayMinutes: 40, reason: 'a coach' });
    expect(minutes(await place(id, ['1 burger: size/large']))).toBe(55);
    const { readyBy, problems } = await quote(soup(id));
    expect([Date.parse(readyBy) > Date.now() + 54 * 60_000, problems]).toEqual([true, []]);
    const early = inMinutes(30).toISOString();
    const { error } = await tryToPlace(soup(id, { readyBy: early }));
    expect(error?.extensions.errors).toEqual([
      {
        path: ['input', 'readyBy'],
        type: 'store_busy',
        message: expect.stringMatching(
          `^${early} is too early; the store is busy \\(a coach\\) and delays orders by 40 minutes, so it must be .+ or later$`,
        ),
      },
    ]);
    await place(id, ['1 burger: size/large'], { readyBy: inMinutes(41).toISOString() });
  });

  test('of orders that are placed while a store is paused, each is placed before or refused', { timeout }, async () => {
    const id = await createStore();
    const placeMany = () => Array.from({ length: 25 }, () => tryToPlace(soup(id)));
    const before = placeMany();
    await Promise.race(before);
    const pause = set(id, { state: 'PAUSED' });
    const orders = [...before, ...placeMany()];
    await pause;
    orders.push(tryToPlace(soup(id)));
    const outcomes = await Promise.all(orders);
    const placed = outcomes.filter(({ order }) => order).length;
    const refused = outcomes.filter(({ error }) => error?.extensions.errors[0]?.type === 'store_paused').length;
    expect([placed + refused, placed > 0, refused > 0]).toEqual([51, true, true]);
    await waitUntil(
      async () => (await eventsOf(id)).filter(kind => /^ORDER_|^ORDERING/.test(kind)).length === placed + 1,
    );
    const events = await eventsOf(id);
    expect(events.slice(events.indexOf('ORDER_PLACED'))).toEqual([
      ...Array(placed).fill('ORDER_PLACED'),
      'ORDERING_CHANGED',
    ]);
  });

  test('ends by itself, once over all processes, with an event', { timeout }, async () => {
    const stores = await Promise.all(Array.from({ length: 10 }, () => createStore()));
    const after = formerCursor('storeEvents', { storeId: '', position: await endOfLog(primary) });
    const selection = 'kind storeId store { ordering { state } }';
    const stream = openStream('sse', app, {
      query: `subscription ($after: String) { storeEvents(after: $after) { ${selection} } }`,
      variables: { after },
    });
    const closed = new AbortController();
    const errors: unknown[] = [];
    const others = [1, 2].map(() => runDueTimes(app.orm, error => errors.push(error), closed.signal));
    const until = new Date(Date.now() + 1_500);
    await Promise.all(
      stores.map((id, index) =>
        set(id, index % 2 ? { state: 'PAUSED', until } : { state: 'BUSY', delayMinutes: 5, until }),
      ),
    );
    await waitUntil(async () => (await Promise.all(stores.map(changesOf))).every(count => count >= 2));
    closed.abort();
    await Promise.all(others);
    for (const id of stores) {
      expect(await changesOf(id)).toBe(2);
      expect(await orderingOf(id)).toEqual(open);
    }
    expect(errors).toEqual([]);
    expect(await primary('select from due_time', [])).toEqual([]);
    // Other events of the stores may still come before them.
    const streamed: { readonly kind: string; readonly store: object }[] = [];
    while (streamed.filter(({ kind }) => kind === 'ORDERING_CHANGED').length < 20) {
      streamed.push((await stream.next()).data.storeEvents);
    }
    expect(streamed.at(-1)?.store).toEqual({ ordering: { state: 'OPEN' } });
    stream.close();
  });

  test('has ended at its time, also if nothing has noticed it', async () => {
    const id = await createStore();
    await primary('update store set ordering = $2 where id = $1', [id, { state: 'PAUSED', until: inMinutes(-1) }]);
    expect(await orderingOf(id)).toEqual(open);
    await place(id, ['1 cola']);
  });
});
