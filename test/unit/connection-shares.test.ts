import { Unavailable } from '@carte/base/errors';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { queryOn, shareConnections } from '../../src/database/pool.ts';
import { createMerchantRepository } from '../../src/merchant/repository.ts';
import { currentRequest } from '../../src/scheduling/current-request.ts';
import { operatorScope } from '../../src/scope.ts';
import { createDatabase } from '../support/database.ts';

const orm = await createDatabase({ poolSize: 5 });
const pool = await orm.em.getConnection().getNativeClient();
const { connections, writes } = shareConnections(pool, { timeoutMs: 1_000 });
const query = queryOn(pool);

const shareOf = (id: string | undefined) => (id === undefined ? undefined : { id, isGuest: id.startsWith('guest') });
const asKey = <T>(id: string | undefined, run: () => Promise<T>) =>
  currentRequest.run({ statements: 0, trace: undefined, share: shareOf(id) }, run);

/** Runs a statement that takes so long as a request of a key. */
const sleepAs = (keyId: string | undefined, seconds: number) =>
  asKey(keyId, () => query('select pg_sleep($1)', [seconds]));

const idle = { running: 0, waiting: 0 };

test('a key leaves connections to others, and waits for its own', async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => asKey('a', () => pool.connect())));
  const waiting = Promise.allSettled([sleepAs('a', 0), sleepAs('a', 0)]);
  expect(connections.counts).toMatchObject({ running: 4, waiting: 2 });
  await Promise.all([sleepAs('b', 0), sleepAs(undefined, 0)]);
  for (const client of clients) client.release();
  await waiting;
  expect(connections.counts).toMatchObject(idle);
});

test('a statement that waits for too long is rejected, and others are not', async () => {
  const ofOne = Array.from({ length: 5 }, () => sleepAs('a', 1.5));
  const results = Promise.allSettled(ofOne);
  await sleepAs('b', 0);
  const reasons = (await results).map(result => (result.status === 'rejected' ? result.reason : undefined));
  expect(reasons.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(reasons[4]).toBeInstanceOf(Unavailable);
  expect(connections.counts).toMatchObject(idle);
});

test('guests together have a part of the connections, and one of them not all of that', async () => {
  const orms = await createDatabase({ poolSize: 10 });
  const large = await orms.em.getConnection().getNativeClient();
  const { connections: all, guestConnections } = shareConnections(large, { timeoutMs: 1_000 });
  const connectAs = (id: string) => asKey(id, () => large.connect());
  const held = [
    connectAs('guest 1'),
    connectAs('guest 1'),
    connectAs('guest 1'),
    connectAs('guest 2'),
    connectAs('guest 3'),
  ];
  await expect.poll(() => guestConnections.counts).toMatchObject({ running: 3, waiting: 2 });
  const ofKeys = await Promise.all(['a', 'a', 'a', 'a', 'a', 'a', 'b'].map(connectAs));
  expect(all.counts).toMatchObject({ running: 10, waiting: 0 });
  for (const client of ofKeys) client.release();
  for (const connecting of held) (await connecting).release();
  await expect.poll(() => guestConnections.counts).toMatchObject(idle);
});

/** Requests in the queues of a pool, each a caller with what it does: `key` and `guest` with a number, `change` and `expensive`. */
async function queuesOf(poolSize: number) {
  const { em } = await createDatabase({ poolSize });
  const own = await em.getConnection().getNativeClient();
  const { abandoned: _, ...queues } = shareConnections(own, { timeoutMs: 5_000 });
  const connected: Promise<pg.PoolClient>[] = [];
  const counts = (state: 'running' | 'waiting') =>
    Object.fromEntries(
      Object.entries(queues).flatMap(([name, queue]) => (queue.counts[state] > 0 ? [[name, queue.counts[state]]] : [])),
    );
  return {
    connect(...callers: string[]) {
      for (const caller of callers) {
        const kind = { isWriting: caller.includes('change'), isExpensive: caller.includes('expensive') };
        const request = { statements: 0, trace: undefined, share: shareOf(caller.split(': ')[0]), ...kind };
        connected.push(currentRequest.run(request, () => own.connect()));
      }
    },
    running: () => counts('running'),
    waiting: () => counts('waiting'),
    async release() {
      for (const client of connected.splice(0)) (await client).release();
    },
  };
}

const times = (count: number, caller: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => caller(index));

// The order of docs/decisions/0019-fair-shares.md: who waits in a queue has a slot of those before it alone.
describe('whoever waits for a connection', () => {
  test('to change something as a guest holds nothing that others share', async () => {
    const { connect, running, waiting, release } = await queuesOf(10);
    connect(...times(12, index => `guest ${index}: change`));
    expect(running()).toEqual({ guestWrites: 2, guestConnections: 2, connections: 2 });
    expect(waiting()).toEqual({ guestWrites: 10 });
    connect('guest 1', 'guest 2');
    expect(running()).toEqual({ guestWrites: 2, guestConnections: 3, connections: 3 });
    expect(waiting()).toEqual({ guestWrites: 10, guestConnections: 1 });
    connect(...times(4, () => 'key a: change'), ...times(2, () => 'key b: change'));
    expect(running()).toMatchObject({ writes: 6, connections: 9 });
    await release();
    expect(running()).toEqual({});
  });

  test.for([2, 3, 4, 5, 7, 20])(
    'of %i, as a guest, leaves to keys what they have for their changes',
    async poolSize => {
      const keys = times(poolSize, index => `key ${index}: change`);
      const alone = await queuesOf(poolSize);
      alone.connect(...keys);
      const beside = await queuesOf(poolSize);
      beside.connect(...times(12, index => `guest ${index}: change`), ...keys);
      expect(beside.running().writes).toBe(alone.running().writes);
      await Promise.all([alone.release(), beside.release()]);
    },
  );

  test('for something expensive holds none of those for changes', async () => {
    const { connect, running, waiting, release } = await queuesOf(10);
    const expensive = ['a', 'a', 'b', 'b'].map(id => `key ${id}: expensive`);
    connect(...expensive, 'key c: expensive change', 'key d: expensive change');
    expect(running()).toEqual({ expensiveConnections: 4 });
    expect(waiting()).toEqual({ expensiveConnections: 2 });
    await release();
  });

  test('to change something holds none of those for all', async () => {
    const { connect, running, waiting, release } = await queuesOf(10);
    connect(...times(6, () => 'key a: change'));
    expect(running()).toEqual({ writes: 4, connections: 4 });
    expect(waiting()).toEqual({ writes: 2 });
    await release();
  });
});

test('a batch of several keys does not wait for the share of the first', async () => {
  const { byId } = createMerchantRepository({ em: orm.em, query, primary: query });
  const clients = await Promise.all(Array.from({ length: 4 }, () => asKey('a', () => pool.connect())));
  const load = () => byId.load({ id: 'unknown', scope: operatorScope });
  expect(await Promise.all([asKey('a', load), asKey('b', load)])).toEqual([null, null]);
  for (const client of clients) client.release();
});

test('a transaction, and a statement that fails, returns its connection', async () => {
  const request = { statements: 0, trace: undefined, share: shareOf('a') };
  for (let time = 0; time < 6; time++) {
    await currentRequest.run(request, async () => {
      await expect(query('select 1 / 0', [])).rejects.toThrow('division by zero');
      await orm.em.fork().transactional(tx => tx.execute('select 1'));
    });
  }
  await expect.poll(() => connections.counts).toMatchObject(idle);
});

test('requests that change something leave connections to those that read', async () => {
  const request = { statements: 0, trace: undefined, isWriting: true };
  const change = (id: string) =>
    currentRequest.run({ ...request, share: shareOf(id) }, () =>
      orm.em.fork().transactional(tx => tx.execute('select pg_sleep(0.3)')),
    );
  const changes = ['a', 'a', 'a', 'b', 'b'].map(change);
  await expect.poll(() => writes.counts).toMatchObject({ running: 3, waiting: 2 });
  expect(connections.counts.running).toBe(3);
  const worker = { statements: 0, trace: undefined, isWorker: true };
  const ofWorker = currentRequest.run(worker, () => query('select 1', []));
  expect(writes.counts).toMatchObject({ running: 3, waiting: 3 });
  await Promise.all([...changes, ofWorker]);
  await expect.poll(() => writes.counts).toMatchObject(idle);
});

test('a transaction of a request gives up a wait for a lock, and ends with its client; others have no such settings', async () => {
  const settings = `select current_setting('lock_timeout') as lock, current_setting('client_connection_check_interval') as client`;
  const read = () => orm.em.fork().transactional(tx => tx.execute(settings));
  const inRequest = () => currentRequest.run({ statements: 0, trace: undefined, share: shareOf('a') }, read);
  expect(await inRequest()).toEqual([{ lock: '10s', client: '2s' }]);
  expect(await read()).toEqual([{ lock: '0', client: '0' }]);
});
