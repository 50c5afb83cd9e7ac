import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { formerCursor, openStream, type Stream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';
import { endOfLog } from '../support/events.ts';

const costPerSecond = 2_000;
const streams = { total: 200, perKey: 100, perAddress: 5, buffer: 50, stallSeconds: 30 };
const app = await startApp({ streams: { ...streams, costPerSecond } });
const access = await createReadAccess(app.orm);

const opened: Stream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

const watchOrders = `subscription ($storeId: ID!, $after: String) {
  orderEvents(storeId: $storeId, after: $after) { cursor orderId }
}`;

async function cursorNow(storeId: string): Promise<string> {
  return formerCursor('orderEvents', { storeId, position: await endOfLog(access.primary) });
}

function watch(
  service: { readonly url: string; readonly key: string },
  storeId: string,
  after?: string,
  query = watchOrders,
) {
  const stream = openStream('sse', service, { query, variables: { storeId, ...(after && { after }) } });
  opened.push(stream);
  return stream;
}

describe.each(['sse', 'websocket'] as const)('Over %s', transport => {
  test('a selection that costs more than a stream may is refused with both numbers and the remedy', async () => {
    const query = `subscription { menuEvents(storeId: "x") { store { items { externalId } modifierGroups { externalId } } } }`;
    const stream = openStream(transport, app, { query });
    const errors = await stream.rest().then(
      ([result]) => result.errors,
      (error: unknown) => error,
    );
    expect(errors).toMatchObject([
      {
        message:
          'The subscription costs 2,502 objects an event, most of them at menuEvents.store.items; ' +
          'at most 2,000 are allowed. Query the rest when an event tells that it has changed.',
        extensions: { code: 'QUERY_TOO_COMPLEX' },
      },
    ]);
  });

  test('a cursor of the future is an error with the reason', async () => {
    const store = await app.data.store();
    const position = (Date.now() + 3_600_000) * 1_000;
    const after = formerCursor('orderEvents', { storeId: store.id, position });
    const stream = openStream(transport, app, { query: watchOrders, variables: { storeId: store.id, after } });
    const [{ errors }] = await stream.rest();
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['after'] }] });
    const time = new Date(position / 1_000).toISOString();
    expect(errors[0].message).toBe(
      `after: is a cursor of the future: the position ${time} is beyond the end of the log`,
    );
  });
});

test('a cursor that is ahead by less than a minute is accepted, since clocks differ', async () => {
  const store = await app.data.store();
  const after = formerCursor('orderEvents', { storeId: store.id, position: (Date.now() + 30_000) * 1_000 });
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': app.key, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: watchOrders, variables: { storeId: store.id, after } }),
  });
  const chunk = await response.body?.getReader().read();
  expect(Buffer.from(chunk?.value ?? []).toString()).toBe(':\n\n');
});

test('a key that delivers more than its budget waits and gets every event, while another key is not delayed', async () => {
  const [busyStore, quietStore] = [await app.data.store(), await app.data.store()];
  const [busy, quiet] = [await app.newKey(), await app.newKey()];
  const [afterBusy, afterQuiet] = [await cursorNow(busyStore.id), await cursorNow(quietStore.id)];
  const orders = await app.data.orders(busyStore, 70);
  await app.data.orders(quietStore, 30);
  const begun = performance.now();
  const busyStream = watch({ url: app.url, key: busy }, busyStore.id, afterBusy).take(70);
  const quietStream = watch({ url: app.url, key: quiet }, quietStore.id, afterQuiet).take(30);
  const took = async (stream: Promise<unknown>) => {
    await stream;
    return performance.now() - begun;
  };
  const [busyMs, quietMs] = await Promise.all([took(busyStream), took(quietStream)]);
  // 70 events cost 7,070: 2,000 at once, and the others at 2,000 a second.
  expect(busyMs).toBeGreaterThan(2_400);
  expect(quietMs).toBeLessThan(busyMs);
  const ids = (await busyStream).map(({ data }) => data.orderEvents.orderId);
  expect(ids).toEqual(orders.map(({ id }) => id));
});

test('replays of one key do not hold up a live event of another', async () => {
  const generous = await startApp({ streams: { ...streams, costPerSecond: 10_000_000 } });
  const { data } = generous;
  const { primary } = await createReadAccess(generous.orm);
  const [replayed, live] = [await data.store(), await data.store()];
  const { items, ...menu } = smallMenu();
  const many = Array.from({ length: 300 }, (_, at) => ({ ...items[0], externalId: at === 0 ? 'item' : `item${at}` }));
  await data.menu(replayed, { ...menu, items: many as typeof items });
  const first = formerCursor('orderEvents', {
    storeId: replayed.id,
    position: await endOfLog(primary),
  });
  for (let batch = 0; batch < 8; batch++) await data.orders(replayed, 400);
  const other = { url: generous.url, key: await generous.newKey() };
  const withMenu = watchOrders.replace('orderId }', 'order { store { items { externalId } } } }');
  let delivered = 0;
  const liveStream = watch(other, live.id);
  await expect
    .poll(async () => (await generous.get('/metrics')).text)
    .toMatch(/carte_streams_open\{transport="sse"\} 1/);
  for (let count = 0; count < 20; count++) {
    const stream = watch(generous, replayed.id, first, withMenu);
    void (async () => {
      for (;;) {
        await stream.next();
        delivered += 1;
      }
    })().catch(() => {});
  }
  await expect.poll(() => delivered, { timeout: 60_000 }).toBeGreaterThan(20);
  const behind: number[] = [];
  for (let count = 0; count < 5; count++) {
    await data.orders(live, 1);
    const before = delivered;
    await Promise.all([liveStream.next(), endOfLog(primary)]);
    behind.push(delivered - before);
  }
  // A few are executed at a time for the key, and not one for each of its 20 streams.
  expect(behind.toSorted((one, two) => one - two)[2]).toBeLessThan(20);
  expect(delivered).toBeLessThan(60_000);
});

test('a stream that waits for its budget is not cut as one whose reader is too slow', async () => {
  const slow = await startApp({ streams: { ...streams, buffer: 3, stallSeconds: 0.2, costPerSecond: 400 } });
  const store = await slow.data.store();
  // A stream counts as open before it has its starting point.
  const position = await endOfLog((await createReadAccess(slow.orm)).primary);
  const stream = watch(slow, store.id, formerCursor('orderEvents', { storeId: store.id, position }));
  await expect.poll(async () => (await slow.get('/metrics')).text).toMatch(/carte_streams_open\{transport="sse"\} 1/);
  const results = stream.take(16);
  await slow.data.orders(store, 10);
  // Each event takes a quarter of a second to pay for; meanwhile more come than fit into the buffer.
  for (let count = 0; count < 6; count++) {
    await sleep(125);
    await slow.data.orders(store, 1);
  }
  expect((await results).flatMap(({ errors = [] }) => errors)).toEqual([]);
});

test('what streams deliver counts towards the rate limit of the key', async () => {
  const limited = await startApp({ rateLimit: 100, streams: { ...streams, costPerSecond: 10_000_000 } });
  const store = await limited.data.store();
  const key = await limited.newKey();
  const after = formerCursor('orderEvents', {
    storeId: store.id,
    position: await endOfLog((await createReadAccess(limited.orm)).primary),
  });
  await limited.data.orders(store, 45);
  await watch({ url: limited.url, key }, store.id, after).take(45);
  const { headers } = await limited.get('/v1/stores/', { 'x-api-key': key });
  // The subscription, the cost of 45 events, 4,545, and this request.
  expect(headers.get('ratelimit-remaining')).toBe('94');
});
