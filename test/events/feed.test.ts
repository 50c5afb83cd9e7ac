import { StreamCut } from '@carte/base/errors';
import type { Client, Pool } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { clientFactory, createReadAccess, queryOn } from '../../src/database/pool.ts';
import { EventFeed, type FeedOptions } from '../../src/events/feed.ts';
import { EventsDeleted } from '../../src/events/log.ts';
import { EventStream, type StreamOptions } from '../../src/events/stream.ts';
import { createOrm } from '../../src/orm.ts';
import { waitUntil } from '../http/processes.ts';
import { startProxy } from '../http/proxy.ts';
import { createData } from '../support/data.ts';
import { createDatabase, prepare } from '../support/database.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const orm = await createDatabase();
const data = createData(orm);
const { query } = await createReadAccess(orm);
const database = String(orm.config.get('dbName'));
const statements = { statementSeconds: 30, prepare };

/** The feed of a process of its own, on the server itself or through a proxy. */
async function startFeed({ port, ...options }: { port?: number } & Partial<FeedOptions> = {}) {
  const direct = inject('direct');
  const own = createOrm(
    { ...direct, ...(port && { host: '127.0.0.1', port }), database },
    { connectionSeconds: 1, prepare },
  );
  const pool: Pool = await own.em.getConnection().getNativeClient();
  const changes: boolean[] = [];
  const onChange: FeedOptions['onChange'] = ({ isConnected }) => void changes.push(isConnected);
  const factory = clientFactory(pool, undefined, statements);
  let client: Client | undefined;
  const createClient = () => {
    client = factory();
    return client;
  };
  const feed = new EventFeed({ createClient, onChange, ...options });
  onTestFinished(async () => {
    await feed.close();
    await own.close();
  });
  const stream = (given: Partial<StreamOptions> = {}) =>
    new EventStream({ feed, query: queryOn(pool), maxBuffered: 100, ...given });
  /** Ends the feed's session, as a restart of the server does. */
  const kill = () => query('select pg_terminate_backend($1)', [client && Reflect.get(client, 'processID')]);
  return { feed, stream, changes, kill };
}

async function take(stream: EventStream, count: number): Promise<number[]> {
  const positions: number[] = [];
  while (positions.length < count) {
    const { value } = await stream.next();
    if (!value) break;
    positions.push(value.position);
  }
  return positions;
}

async function positionsAfter(after: number, storeId?: string): Promise<number[]> {
  return (await readEvents(query, { after, limit: 10_000, storeId })).map(({ position }) => position);
}

describe('Streams of events', () => {
  test('share one connection, which is opened for the first and closed with the feed', async () => {
    const { feed, stream, changes } = await startFeed();
    const store = await data.store();
    expect(changes).toEqual([]);
    const [all, ofStore, ofKind] = [
      stream(),
      stream({ filter: { storeId: store.id } }),
      stream({ filter: { kinds: ['STORE_CREATED'] } }),
    ];
    await Promise.all([all.opened, ofStore.opened, ofKind.opened]);
    expect(changes).toEqual([true]);
    const start = feed.position();
    await data.orders(store, 2);
    await data.store();
    await data.orders(store, 1);
    const log = await readEvents(query, { after: start, limit: 10 });
    expect(await take(all, 4)).toEqual(log.map(({ position }) => position));
    expect(await take(ofStore, 3)).toEqual(await positionsAfter(start, store.id));
    expect((await ofKind.next()).value?.position).toBe(log[2]?.position);
    const pending = all.next();
    await all.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    await feed.close();
    expect(await ofStore.next()).toEqual({ done: true, value: undefined });
    expect(await stream().next()).toEqual({ done: true, value: undefined });
    expect(feed).toMatchObject({ isConnected: false, eventsRead: 4 });
  });

  test('start with what was missed after a position, without a hole or a repetition', async () => {
    const store = await data.store();
    const start = await endOfLog(query);
    await data.orders(store, 450);
    const { stream } = await startFeed();
    const streams = [stream({ after: start }), stream({ after: start, filter: { storeId: store.id } })];
    const expected = async () =>
      expect(await Promise.all(streams.map(one => take(one, 225)))).toEqual([half(), half()]);
    let log = await positionsAfter(start);
    const half = () => log.slice(0, 225);
    await expected();
    // While the rest of the missed events waits for the reader, new ones arrive.
    await data.orders(store, 450);
    for (let round = 0; round < 3; round++) {
      log = (await positionsAfter(start)).slice((round + 1) * 225);
      await expected();
    }
  });

  test('equal the log for every reader, while connections break and transactions commit in random order', async () => {
    const feeds = await Promise.all([startFeed(), startFeed({ pollMs: 50 })]);
    const store = await data.store();
    const start = await endOfLog(query);
    const writers = Array.from({ length: 4 }, async () => {
      for (let turn = 0; turn < 15; turn++) {
        await orm.em.fork().transactional(async em => {
          const id = crypto.randomUUID();
          await em.execute(
            `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
             values (?, ?, now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false)`,
            [id, store.id],
          );
          await em.execute('select pg_sleep(random() * 0.02)');
        });
      }
    });
    const killer = (async () => {
      for (let turn = 0; turn < 6; turn++) {
        await query('select pg_sleep(0.05)', []);
        await Promise.all(feeds.map(({ kill }) => kill()));
      }
    })();
    /** Reads some events, disconnects, and comes back with the position of the last one. */
    const readers = feeds.flatMap(({ stream }) =>
      [3, 10, 60].map(async size => {
        const seen: number[] = [];
        while (seen.length < 60) {
          const part = stream({ after: seen.at(-1) ?? start, maxBuffered: size });
          seen.push(...(await take(part, Math.min(size, 60 - seen.length))));
          await part.return();
        }
        return seen;
      }),
    );
    await Promise.all([...writers, killer]);
    const log = await positionsAfter(start);
    expect(log).toHaveLength(60);
    expect(await Promise.all(readers)).toEqual(readers.map(() => log));
    for (const { changes } of feeds) expect(changes.filter(isConnected => !isConnected).length).toBeGreaterThan(0);
  });

  test('go on by themselves when the database is available again', async () => {
    const proxy = await startProxy();
    const { feed, stream, changes } = await startFeed({ port: proxy.port });
    const [live, missed] = [stream(), stream({ after: await endOfLog(query) })];
    await live.opened;
    const start = feed.position();
    await proxy.shut();
    await waitUntil(() => !feed.isConnected);
    const opening = stream({ after: start });
    const read = Promise.all([take(live, 2), take(missed, 2), take(opening, 2)]);
    await data.store();
    await data.store();
    await proxy.open();
    const log = await positionsAfter(start);
    expect(await read).toEqual([log, log, log]);
    expect(changes).toEqual([true, false, true]);
  });

  test('get an event that no notification announces with the next poll, and the operator learns of it', async () => {
    let warnings = 0;
    const { stream } = await startFeed({ pollMs: 20, onMissedNotifications: () => void warnings++ });
    const live = stream();
    await live.opened;
    // With a position, as after a restore: no trigger runs.
    const insert = `insert into event (kind, store_id, position)
      select 'STORE_CHANGED', 'x', setval('event_position', nextval('event_position') + 1000)`;
    await query(insert, []);
    expect((await live.next()).value?.storeId).toBe('x');
    await query(insert, []);
    await waitUntil(() => warnings > 0);
    await query(insert, []);
    expect(await take(live, 2)).toHaveLength(2);
    expect(warnings).toBe(1);
  });

  test('get what the process commits without a notification, and what others move into the log by one', async () => {
    const [own, other] = [await startFeed({ pollMs: 600_000 }), await startFeed({ pollMs: 600_000 })];
    const streams = [own.stream(), other.stream()];
    await Promise.all(streams.map(({ opened }) => opened));
    const start = own.feed.position();
    await data.store();
    own.feed.sequence();
    const [[mine], [theirs]] = await Promise.all([
      take(streams[0] as EventStream, 1),
      take(streams[1] as EventStream, 1),
    ]);
    expect([mine, theirs]).toEqual([...(await positionsAfter(start)), mine]);
  });

  test('begin after everything that was committed before they were opened', async () => {
    const { feed, stream } = await startFeed({ pollMs: 600_000 });
    await stream().opened;
    await data.store();
    const live = stream();
    await live.opened;
    const { id } = await data.store();
    feed.sequence();
    expect((await live.next()).value?.storeId).toBe(id);
  });

  test('hold few events in memory: a slow reader gets the rest from the log, and one that stopped is cut', async () => {
    const store = await data.store();
    const { feed, stream } = await startFeed();
    const [slow, stopped] = [stream({ maxBuffered: 10 }), stream({ maxBuffered: 10, maxStallMs: 0 })];
    await Promise.all([slow.opened, stopped.opened]);
    const start = await endOfLog(query);
    await data.orders(store, 300);
    expect(await take(slow, 5)).toHaveLength(5);
    await data.orders(store, 1);
    expect(await take(slow, 296)).toEqual((await positionsAfter(start)).slice(5));
    const last = await endOfLog(query);
    await waitUntil(() => feed.position() === last);
    const error = await stopped.next().catch(reason => reason);
    expect(error).toBeInstanceOf(StreamCut);
    expect(error.message).toBe(
      'The stream was ended: its reader took no event for 0 s while more than 10 were waiting. ' +
        'Subscribe again with the cursor of the last event.',
    );
    expect(await stopped.next()).toEqual({ done: true, value: undefined });
  });

  test('reject a position after which events were deleted, also one of a stream that is running', async () => {
    const { stream } = await startFeed();
    const start = await endOfLog(query);
    await data.store();
    await endOfLog(query);
    await query('delete from event', []);
    const old = stream({ after: start });
    await expect(old.opened).rejects.toThrow(EventsDeleted);
    await expect(old.next()).rejects.toThrow(/no longer has all events after \d{4}-.*, only those after \d{4}-/);
    const proxy = await startProxy();
    const other = await startFeed({ port: proxy.port });
    const live = other.stream();
    await live.opened;
    await proxy.shut();
    await data.store();
    await endOfLog(query);
    await query('delete from event', []);
    await proxy.open();
    await expect(live.next()).rejects.toThrow(EventsDeleted);
  });
});
