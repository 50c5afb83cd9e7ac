import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { smallBody } from './body.ts';
import { waitUntil } from './processes.ts';
import { startReplicated } from './replicated.ts';

const { pair, data, serve } = await startReplicated();
const [writer, reader] = [await serve(), await serve()];
await waitUntil(async () => (await writer.isUsing()) && (await reader.isUsing()));
const store = await data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const ordersPath = `/v1/stores/${store.id}/orders/`;
const query = `{ store(id: "${store.id}") { menuRevision items { name { text } } orders(first: 1) { totalCount } } }`;
const soldOut = `mutation { setStock(input: { storeId: "${store.id}", items: [{ externalId: "item", inStock: false }] }) { store { menuRevision } } }`;

const saveStore = 'mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }';

const accept = 'mutation ($id: ID!) { changeOrderStatus(input: { orderId: $id, to: ACCEPTED }) { order { status } } }';

const revisionIn = (etag: string) => /^"(\d+)-/.exec(etag)?.[1];

/** Writes through one service and reads through the other, as drills/replicas.ts does many times; resolves to the responses older than the write. */
async function writeAndRead(rounds: number): Promise<string[]> {
  const stale: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const mark = `mark ${crypto.randomUUID()}`;
    expect((await writer.send(menuPath, smallBody(mark))).status).toBe(200);
    const [order] = await data.orders(store, 1);
    const named = { id: crypto.randomUUID() };
    await writer.send('/graphql', {
      query: saveStore,
      variables: { input: { ...named, name: { translations: { en: mark } } } },
    });
    const accepted = await writer.send('/graphql', { query: accept, variables: { id: order?.id } });
    expect(accepted.text).toContain('"ACCEPTED"');
    const asked = {
      tree: [menuPath, mark],
      flat: [`${menuPath}flat`, mark],
      graphql: ['/graphql', mark, { query }],
      orders: [`${ordersPath}?status=ACCEPTED&page_size=100`, order?.id],
      stores: ['/v1/stores/?limit=1000', named.id],
      store: [`/v1/stores/${named.id}`, mark],
    } as const;
    for (const [what, [path, expected, body]] of Object.entries(asked)) {
      const answer = await reader.send(path, body);
      if (answer.status !== 200 || !answer.text.includes(expected ?? '')) stale.push(`${what}: ${answer.text}`);
    }
    const stocked = await writer.send('/graphql', { query: soldOut });
    const revision = JSON.parse(stocked.text).data.setStock.store.menuRevision;
    const { etag, text } = await reader.send(menuPath);
    if (revisionIn(etag) !== String(revision)) stale.push(`not ${revision} but ${etag}`);
    if (!text.includes('"in_stock":false')) stale.push(`sold out: ${text}`);
    const again = await writer.send(menuPath, undefined, { 'if-none-match': etag });
    if (again.status !== 304) stale.push(`not ${etag} but ${again.etag}`);
  }
  return stale;
}

describe('A read replica', () => {
  test('serves menus, lists and order pages, and the primary single rows', async () => {
    await data.menu(store);
    // Now and then it is a moment behind the primary, or ahead of it.
    const offered = async () =>
      (await reader.read('replica')) + (await reader.read('behind')) + (await reader.read('ahead'));
    const [before, primary] = [await offered(), await reader.read('primary')];
    for (const path of [menuPath, ordersPath, '/v1/stores/', '/v1/merchants/']) {
      expect((await reader.send(path)).status).toBe(200);
    }
    expect(await offered()).toBe(before + 4);
    expect((await reader.send(`/v1/stores/${store.id}`)).status).toBe(200);
    expect(await offered()).toBe(before + 4);
    // Nor does the primary read instead of a replica: single rows are looked up there without asking any.
    expect(await reader.read('primary')).toBe(primary);
    await reader.untilReplica();
  });

  test('never returns less than was written through another process', async () => {
    expect(await writeAndRead(6)).toEqual([]);
  });

  test('that lags is not used until it has caught up', async () => {
    await pair.onStandby('select pg_wal_replay_pause()');
    onTestFinished(async () => void (await pair.onStandby('select pg_wal_replay_resume()')));
    const behind = await reader.read('behind');
    expect(await writeAndRead(2)).toEqual([]);
    expect(await reader.read('behind')).toBeGreaterThan(behind);
    expect(await reader.sample('carte_replica_behind_seconds{replica="1"}')).toBeGreaterThan(0);
    await pair.onStandby('select pg_wal_replay_resume()');
    await reader.untilReplica();
    await waitUntil(async () => (await reader.sample('carte_replica_behind_seconds{replica="1"}')) === 0);
  });

  test('that shows a commit before the primary does is not used', async () => {
    const setStandbys = async (change: string) => {
      await pair.onPrimary(`alter system ${change}`);
      await pair.onPrimary('select pg_reload_conf()');
    };
    await setStandbys("set synchronous_standby_names = 'nobody'");
    onTestFinished(() => setStandbys('reset synchronous_standby_names'));
    await waitUntil(async () => {
      const [row] = await pair.onPrimary('show synchronous_standby_names');
      return row?.synchronous_standby_names === 'nobody';
    });
    // The commit is written and replayed, but waits for a standby that will never come.
    const waiting = data.merchant({ id: 'early' });
    await waitUntil(async () => (await pair.onStandby("select from merchant where id = 'early'")).length === 1);
    const ahead = await reader.read('ahead');
    await waitUntil(async () => {
      expect((await reader.send('/v1/merchants/?limit=1000')).text).not.toContain('early');
      return (await reader.read('ahead')) > ahead;
    });
    await setStandbys('reset synchronous_standby_names');
    await waiting;
    expect((await reader.send('/v1/merchants/?limit=1000')).text).toContain('early');
  });

  test('that stops under load fails no request, and is used again after its start', async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const ask = async (path: string) => {
      while (!isOver) {
        statuses.add((await reader.send(path)).status);
        // Leaves most of the processor to the database.
        await sleep(20);
      }
    };
    const asking = ['/v1/stores/', ordersPath, ordersPath, menuPath].map(ask);
    await pair.stopStandby();
    await waitUntil(async () => !(await reader.isUsing()));
    expect(await writeAndRead(1)).toEqual([]);
    expect((await reader.send('/health/ready')).status).toBe(200);
    await pair.startStandby();
    await reader.untilReplica();
    isOver = true;
    await Promise.all(asking);
    expect([...statuses]).toEqual([200]);
    expect(await writeAndRead(1)).toEqual([]);
  });

  test('that does not respond is not used after some seconds', async () => {
    const pids = await pair.onStandby(
      "select pid from pg_stat_activity where application_name like 'carte %' union select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int",
    );
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of pids) process.kill(Number(pid), name);
    };
    signal('SIGSTOP');
    try {
      const begun = performance.now();
      expect((await reader.send('/v1/stores/')).status).toBe(200);
      // Long before the timeout of a statement.
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(await reader.isUsing()).toBe(false);
    } finally {
      signal('SIGCONT');
    }
    await waitUntil(reader.isUsing);
  });
});

test('neither the primary nor another database is used as a replica', async () => {
  await pair.onPrimary('create database another');
  const service = await serve([pair.primaryUrl, pair.standbyUrl.replace('/carte', '/another'), pair.standbyUrl]);
  await waitUntil(async () => (await service.sample('carte_replica_usable{replica="3"}')) === 1);
  expect(await service.sample('carte_replica_usable{replica="1"}')).toBe(0);
  expect(await service.sample('carte_replica_usable{replica="2"}')).toBe(0);
  await service.untilReplica();
});

test('errors in DATABASE_REPLICA_URLS do not repeat the URL, which may hold a password', () => {
  const urls = 'postgresql://u:p@h/d, mysql://u:secret@h/d';
  expect(() => readConfig({ DATABASE_URL: 'postgresql://u:p@h/d', DATABASE_REPLICA_URLS: urls })).toThrow(
    /^Bad configuration:\n {2}DATABASE_REPLICA_URLS, number 2, is not a PostgreSQL URL such as [^\n]*$/,
  );
  expect(() => readConfig({ DATABASE_REPLICA_URLS: 'postgresql://u:p@h/d' })).toThrow('DATABASE_URL is not');
});
