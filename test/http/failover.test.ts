import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createOrm } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { Address } from '../../support/failover/address.ts';
import { PostgresNode } from '../../support/failover/postgres.ts';
import { createData, createKey } from '../support/data.ts';
import { smallBody } from './body.ts';

// The short form of drills/failover.ts: one primary with a synchronous standby, found by a URL of two hosts.
const folder = mkdtempSync(join(tmpdir(), 'carte-failover-'));
const primary = await PostgresNode.create(folder, 'a');
const standby = await primary.clone(folder, 'b');
await standby.start();
const hosts = [await Address.open(primary.port), await Address.open(standby.port)] as const;
const list = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',');
const url = `postgresql://postgres@${list}/carte?target_session_attrs=read-write`;
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  for (const host of hosts) host.close();
  await primary.stop();
  await standby.stop();
  rmSync(folder, { recursive: true, force: true });
});

const orm = createOrm({ url });
closing.push(() => orm.close(true));
await migrate(orm);
const store = await createData(orm).store();
const key = await createKey(orm);

/** A service with a timeout for its statements; sends a POST with a body, and a GET without. */
async function serve(DATABASE_STATEMENT_TIMEOUT: string) {
  const config = readConfig({ DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT, CARTE_LOG_LEVEL: 'silent' });
  const own = createOrm({ url }, config);
  const server = await createServer(own, { ...config, keyCacheTtlSeconds: 0 });
  closing.unshift(async () => {
    await server.close();
    await own.close(true);
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return async (body?: object) => {
    const response = await fetch(`${address}/v1/stores/${store.id}/menu_configuration/`, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
  };
}

test('a commit that no synchronous standby has is not acknowledged, and after a silent failover it is absent', async () => {
  const [impatient, patient] = [await serve('2'), await serve('3600')];
  expect(await patient(smallBody('acknowledged'))).toMatchObject({ status: 200 });
  const [flushed] = await primary.query('select pg_current_wal_flush_lsn()::text as lsn');
  const caughtUp = `select pg_last_wal_replay_lsn() >= '${flushed?.lsn}' as done`;
  while ((await standby.query(caughtUp))[0]?.done !== true) await sleep(20);
  await standby.disconnect();
  await primary.query("alter system set synchronous_standby_names = 'b'", 'postgres');
  await primary.query('select pg_reload_conf()', 'postgres');
  expect(await impatient(smallBody('unacknowledged'))).toMatchObject({ status: 503, retryAfter: expect.any(String) });

  // The host is gone without a trace: its connections stay open, and new ones hang.
  hosts[0].moveTo('silent');
  hosts[0].silenceSessions();
  await primary.kill();
  await standby.promote();
  // Within the test's own time: the timeout of these statements is an hour.
  let response = await patient();
  while (response.status === 503) {
    await sleep(50);
    response = await patient();
  }
  expect(response.status).toBe(200);
  expect(response.text).toContain('acknowledged');
  expect(response.text).not.toContain('unacknowledged');
  expect(await patient(smallBody('repeated'))).toMatchObject({ status: 200 });
  expect(await standby.query('select count(distinct revision)::int as revisions from menu_history')).toEqual([
    { revisions: 2 },
  ]);
}, 60_000);
