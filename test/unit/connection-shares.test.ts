import { Unavailable } from '@carte/base/errors';
import { expect, test } from 'vitest';
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
