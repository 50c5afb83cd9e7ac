import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createData, createKey } from '../support/data.ts';
import { createDatabase, directConnection } from '../support/database.ts';
import { smallBody } from './body.ts';
import { codeOf, newAgent, send, startLoad, statusesOf } from './load.ts';
import { waitUntil } from './processes.ts';
import { startService } from './service.ts';

const orm = await createDatabase();
const data = createData(orm);
const key = await createKey(orm);
const [store, lockedStore] = [await data.store(), await data.store()];
const menuOf = ({ id }: { readonly id: string }) => `/v1/stores/${id}/menu_configuration/`;
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

test('SIGTERM under load fails readiness for CARTE_SHUTDOWN_DELAY_SECONDS, then waits for pending requests but not for idle connections, and drops no request', async () => {
  const { child, ended, url } = await startService(orm, { CARTE_SHUTDOWN_DELAY_SECONDS: '1' });
  const blocker = new pg.Client(directConnection(orm));
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('begin');
  await blocker.query('select from store where id = $1 for update', [lockedStore.id]);
  const body = JSON.stringify(smallBody('pending'));
  const pending = send(newAgent(), url + menuOf(lockedStore), { headers, body });
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await waitUntil(async () => (await orm.em.fork().execute(waits)).length > 0);

  let isSignalled = false;
  const {
    outcomes,
    lastOutcomes,
    dropped,
    ended: loadEnded,
  } = startLoad({ url, path: menuOf(store), key }, error => isSignalled && codeOf(error) === 'ECONNREFUSED');
  await waitUntil(() => outcomes.length > 24);
  const idle = connect(Number(new URL(url).port), '127.0.0.1');
  await once(idle, 'connect');
  const idleClosed = once(idle, 'close');
  isSignalled = true;
  child.kill('SIGTERM');
  let readiness = await fetch(`${url}/health/ready`);
  while (readiness.status === 200) readiness = await fetch(`${url}/health/ready`);
  expect(await readiness.json()).toEqual({ status: 'not ready', reason: 'the service is shutting down' });
  expect((await fetch(`${url}/v1/stores/`, { headers })).status).toBe(200);
  await loadEnded;
  expect(dropped).toEqual([]);
  expect(statusesOf(outcomes)).toEqual([200]);
  expect(lastOutcomes.map(({ connection }) => connection)).toEqual(Array(8).fill('close'));
  await idleClosed;
  await blocker.query('rollback');
  expect(await pending).toMatchObject({ status: 200, connection: 'close' });
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('SIGHUP, as from a terminal that closes, ends the process within CARTE_SHUTDOWN_SECONDS, and logs how many requests were cut off', async () => {
  const { child, ended, url, output } = await startService(orm, {
    CARTE_SHUTDOWN_SECONDS: '2',
    CARTE_RECEIVE_SECONDS: '600',
  });
  const slow = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  slow.write(`POST ${menuOf(store)} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: 1000\r\n\r\n{`);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await waitUntil(async () => (await metrics()).includes('carte_http_requests_in_flight 2'));
  const begun = performance.now();
  child.kill('SIGHUP');
  expect(await ended).toMatchObject({ code: 0 });
  // By default, draining alone takes as long.
  expect(performance.now() - begun).toBeLessThan(15_000);
  expect(output.stderr).toContain('1 requests were cut off');
  slow.destroy();
});
