import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { FairQueue } from '../../src/scheduling/fair-queue.ts';
import { startApp } from '../support/app.ts';
import { createGuest, guestHeaders, openStore, orderOf } from '../support/guests.ts';

const { guestOrders } = readConfig({
  CARTE_GUEST_ORDERS_PENDING_PER_ADDRESS: '0',
  CARTE_GUEST_ORDERS_PENDING_PER_STORE: '0',
});
const app = await startApp({ guestOrders, trustedProxies: ['127.0.0.0/8'] });
const execute = (sql: string) => app.orm.em.fork().execute(sql);
const lockWaits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

/** The time that each of some changes takes, one after the other, none of which may be refused. */
async function timesOf(count: number, change: () => ReturnType<typeof app.graphql>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begun = performance.now();
    expect((await change()).body.errors).toBeUndefined();
    times.push(performance.now() - begun);
  }
  return times;
}
const longest = (times: readonly number[]) => Math.max(...times);

/** While the row of a store is locked, guests place orders there, of which some wait for it, and none has ended when `run` has. */
async function withLockedOrders(storeId: string, guests: number, run: () => Promise<unknown>) {
  let ended = 0;
  const headers = await guestHeaders(app, storeId);
  const { placing } = await app.orm.em.fork().transactional(async tx => {
    await tx.execute(`select from store where id = '${storeId}' for update`);
    const orders = Array.from({ length: guests }, (_, index) =>
      createGuest(app, { ...headers, 'x-forwarded-for': `203.0.113.${index}` })
        .place(orderOf(storeId))
        .finally(() => (ended += 1)),
    );
    await expect.poll(async () => (await execute(lockWaits)).length).toBeGreaterThan(0);
    await run();
    expect(ended).toBe(0);
    return { placing: orders };
  });
  return Promise.all(placing);
}

describe('While twelve orders of guests wait for the row of their store', () => {
  test('a change of another tenant takes as long as without them, and the orders are placed then', async () => {
    await openStore(app, 'locked');
    await openStore(app, 'other');
    const key = await app.newKey({ storeIds: ['other'] });
    const mutation = `mutation {
      setStock(input: { storeId: "other", items: [{ externalId: "item", inStock: true }] }) { store { id } }
    }`;
    const change = () => app.graphql(mutation, {}, { 'x-api-key': key });
    const without = await timesOf(10, change);
    let beside: readonly number[] = [];
    const bodies = await withLockedOrders('locked', 12, async () => (beside = await timesOf(10, change)));
    expect(longest(beside)).toBeLessThan(10 * longest(without) + 100);
    expect(bodies.map(({ data }) => data.placeOrder.guestOrder.status)).toEqual(Array(12).fill('PENDING'));
  });

  test('other guests read menus', async () => {
    await openStore(app, 'crowded');
    const reader = createGuest(app, { ...(await guestHeaders(app, 'crowded')), 'x-forwarded-for': '203.0.113.99' });
    // More than all guests may have under way.
    await withLockedOrders('crowded', 24, async () => {
      const read = () => reader.send('{ store(id: "crowded") { menus { id } } }', {});
      expect((await read()).data.store.menus).toHaveLength(1);
    });
  });
});

describe('A pause', () => {
  test('waits for one of those who write the menu of its store, and goes before the others', async () => {
    await openStore(app, 'posted');
    const revise = (price: number) =>
      `mutation { changePrices(input: { storeId: "posted", items: [{ externalId: "item", price: ${price} }] }) { store { id } } }`;
    const pause = 'mutation { setStoreOrdering(input: { storeId: "posted", state: PAUSED }) { store { id } } }';
    const staff = { 'x-api-key': await app.newKey({ storeIds: ['posted'] }) };
    const { requests } = app.server.shares.keys;
    let written = 0;
    const { changes, paused } = await app.orm.em.fork().transactional(async tx => {
      await tx.execute("select from store where id = 'posted' for update");
      const writing = [1000, 1001, 1002, 1003].map(async price => {
        expect((await app.graphql(revise(price))).body.errors).toBeUndefined();
        written += 1;
      });
      await expect.poll(() => requests.counts.running).toBe(4);
      await expect.poll(async () => (await execute(lockWaits)).length).toBeGreaterThan(0);
      const pausing = app.graphql(pause, {}, staff).then(({ body }) => [body.errors, written]);
      const isPausing = `${lockWaits} and query like '%update store set ordering%'`;
      await expect.poll(() => execute(isPausing)).toHaveLength(1);
      return { changes: writing, paused: pausing };
    });
    const [errors, writtenBefore] = await paused;
    expect(errors).toBeUndefined();
    expect(writtenBefore).toBeLessThan(3);
    await Promise.all(changes);
  });
});

// The order of docs/decisions/0019-fair-shares.md, as test/unit/connection-shares.test.ts has it for connections.
describe('A request that waits', () => {
  const { keys, guests } = app.server.shares;
  const body = (bytes: number) => JSON.stringify({ query: '{ __typename }', extensions: { x: 'x'.repeat(bytes) } });

  /** Takes all slots of a queue as other callers; the returned function gives them back. */
  function fill(queue: FairQueue, width: number): () => void {
    const callers = Array.from({ length: width }, (_, index) => `another ${index}`);
    for (const caller of callers) expect(queue.tryEnter(caller)).toBe(true);
    return () => {
      for (const caller of callers) queue.leave(caller);
    };
  }

  test('with a large body until it may be read holds nothing else', async () => {
    const empty = fill(keys.uploads, 32);
    const waiting = app.post('/graphql', body(300_000));
    await expect.poll(() => keys.uploads.counts.waiting).toBe(1);
    expect([keys.requests, keys.expensive, keys.responses].map(({ counts }) => counts.running)).toEqual([0, 0, 0]);
    empty();
    expect((await waiting).status).toBe(200);
  });

  test('until its expensive work may begin holds no turn of cheap ones, and until its response may be large no turn of expensive ones', async () => {
    const guest = createGuest(app, await guestHeaders(app, 'other'));
    const quotes = Array.from(
      { length: 12 },
      (_, index) => `q${index}: quoteOrder(input: $input) { total { amount } }`,
    );
    const input = { storeId: 'other', lines: [{ itemExternalId: 'item' }] };
    const ask = () => guest.send(`query ($input: QuoteOrderInput!) { ${quotes.join(' ')} }`, { input });
    const running = () => [guests.requests, guests.responses, guests.expensive].map(({ counts }) => counts.running);

    const emptyResponses = fill(guests.responses, 8);
    const first = ask();
    await expect.poll(() => guests.responses.counts.waiting).toBe(1);
    expect(running()).toEqual([0, 8, 0]);
    emptyResponses();
    expect((await first).data.q0.total.amount).toBe(950);

    const emptyExpensive = fill(guests.expensive, 2);
    const second = ask();
    await expect.poll(() => guests.expensive.counts.waiting).toBe(1);
    expect(running()).toEqual([0, 1, 2]);
    emptyExpensive();
    expect((await second).data.q0.total.amount).toBe(950);
  });
});
