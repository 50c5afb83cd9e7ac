import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createOrm } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { PostgresNode } from '../../support/failover/postgres.ts';
import { createData, createKey } from '../support/data.ts';
import { smallBody } from './body.ts';
import { waitUntil } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'carte-stuck-'));
const database = await PostgresNode.create(folder, 'a', { fsync: 'off' });
const config = {
  ...readConfig({ DATABASE_URL: database.url, DATABASE_STATEMENT_TIMEOUT: '1', CARTE_LOG_LEVEL: 'silent' }),
  poolSize: 5,
  addressRateLimit: 0,
};
const orm = createOrm({ url: database.url }, config);
await migrate(orm);
const data = createData(orm);
const stores = await Promise.all(Array.from({ length: 8 }, () => data.store()));
const keys = await Promise.all([createKey(orm), createKey(orm)]);
const newKey = await createKey(orm, { name: 'new' });
const server = await createServer(orm, config);
const url = await server.listen({ host: '127.0.0.1', port: 0 });
afterAll(async () => {
  await setStandby('');
  await server.close();
  await orm.close(true);
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Commits wait for a standby with this name. */
async function setStandby(name: string): Promise<void> {
  await database.query(`alter system set synchronous_standby_names = '${name}'`, 'postgres');
  await database.query('select pg_reload_conf()', 'postgres');
}

async function send(path: string, keyIndex: number, body?: object) {
  const headers = { 'x-api-key': keys[keyIndex % keys.length] ?? '', 'content-type': 'application/json' };
  const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  return { status: response.status, text: await response.text() };
}

const post = (index: number, name: string) =>
  send(`/v1/stores/${stores[index % stores.length]?.id}/menu_configuration/`, index, smallBody(name));

const graphql = (query: string) => send('/graphql', 0, { query });

async function abandoned(): Promise<number> {
  return Number(/^carte_database_abandoned_sessions (\d+)$/m.exec((await send('/metrics', 0)).text)?.[1]);
}

async function backends(): Promise<number> {
  const count = `select count(*)::int as count from pg_stat_activity where application_name like 'carte %'`;
  return Number((await database.query(count))[0]?.count);
}

test('commits that wait for a standby which is gone stop neither reads nor the database, and leave nothing behind', async () => {
  expect((await post(0, 'before')).status).toBe(200);
  const [store] = stores;
  const [order] = store ? await data.orders(store, 1) : [];
  const readStatus = async () => JSON.parse((await graphql(`{ order(id: "${order?.id}") { status } }`)).text);
  const showing = (status: string) => ({ data: { order: { status } } });
  await setStandby('nobody');
  const change = `mutation { changeOrderStatus(input: { orderId: "${order?.id}", to: ACCEPTED }) { order { id } } }`;
  const [changed] = await Promise.all([graphql(change), post(1, 'stuck')]);
  expect(changed.text).toContain('UNAVAILABLE');
  // A wait that was cancelled would have made the change visible, though no standby has it.
  expect(await readStatus()).toEqual(showing('PENDING'));
  let refused = '';
  await waitUntil(async () => {
    const responses = await Promise.all(stores.map((_, index) => post(index, 'stuck')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
    refused = responses.find(({ text }) => text.includes('Nothing can be changed'))?.text ?? '';
    return refused !== '';
  });
  expect(refused).toContain('the database does not confirm changes in time');
  expect(await abandoned()).toBeGreaterThan(1);
  for (let round = 0; round < 5; round++) {
    const writes = stores.map((_, index) => post(index, 'refused'));
    const reads = await Promise.all(stores.map(({ id }, index) => send(`/v1/stores/${id}`, index)));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([503]));
    // One more for events, one that the monitor may use, and one whose end was not noticed yet.
    expect(await backends()).toBeLessThanOrEqual(config.poolSize + 3);
  }
  await fetch(`${url}/v1/merchants/`, { headers: { 'x-api-key': newKey } });
  await waitUntil(async () => {
    const [row] = await database.query(`select last_used_at is not null as used from api_key where name = 'new'`);
    return row?.used === true;
  });
  await setStandby('');
  await waitUntil(async () => (await abandoned()) === 0);
  expect(await readStatus()).toEqual(showing('ACCEPTED'));
  await waitUntil(async () => (await post(1, 'after')).status === 200);
}, 240_000);
