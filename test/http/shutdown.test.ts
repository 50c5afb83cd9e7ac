import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { directConnection } from '../support/database.ts';
import { smallBody } from './body.ts';
import { codeOf, newAgent, send, startLoad, statusesOf } from './load.ts';
import { waitUntil } from './processes.ts';
import { startService } from './service.ts';

const app = await startApp();
const store = await app.data.store();
const path = `/v1/stores/${store.id}/menu_configuration/`;
const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };

const serve = (env: Record<string, string> = {}) => startService(app.orm, env);

test('SIGTERM under load fails readiness for CARTE_SHUTDOWN_DELAY_SECONDS, then ends without dropping a request', async () => {
  const { child, ended, url } = await serve({ CARTE_SHUTDOWN_DELAY_SECONDS: '1' });
  let isSignalled = false;
  const {
    outcomes,
    dropped,
    ended: loadEnded,
  } = startLoad({ url, path, key: app.key }, error => isSignalled && codeOf(error) === 'ECONNREFUSED');
  await waitUntil(() => outcomes.length > 50);
  isSignalled = true;
  child.kill('SIGTERM');
  let readiness = await fetch(`${url}/health/ready`);
  while (readiness.status === 200) readiness = await fetch(`${url}/health/ready`);
  expect(await readiness.json()).toEqual({ status: 'not ready', reason: 'the service is shutting down' });
  expect((await fetch(`${url}/v1/stores/`, { headers })).status).toBe(200);
  await loadEnded;
  expect(dropped).toEqual([]);
  expect(statusesOf(outcomes)).toEqual([200]);
  expect(outcomes.slice(-8).map(({ connection }) => connection)).toEqual(Array(8).fill('close'));
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('SIGHUP, as from a terminal that closes, waits for a pending request, and not for idle connections', async () => {
  const { child, ended, url } = await serve();
  const idle = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const blocker = new pg.Client(directConnection(app.orm));
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('begin');
  await blocker.query('select from store where id = $1 for update', [store.id]);
  const pending = send(newAgent(), url + path, { headers, body: JSON.stringify(smallBody('pending')) });
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await waitUntil(async () => (await app.orm.em.fork().execute(waits)).length > 0);
  child.kill('SIGHUP');
  await once(idle, 'close');
  await blocker.query('rollback');
  expect(await pending).toMatchObject({ status: 200, connection: 'close' });
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('SIGINT ends the process within CARTE_SHUTDOWN_SECONDS, and logs how many requests were cut off', async () => {
  const { child, ended, url, output } = await serve({ CARTE_SHUTDOWN_SECONDS: '2', CARTE_RECEIVE_SECONDS: '600' });
  const slow = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  slow.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${app.key}\r\nContent-Length: 1000\r\n\r\n{`);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await waitUntil(async () => (await metrics()).includes('carte_http_requests_in_flight 2'));
  const begun = performance.now();
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
  expect(performance.now() - begun).toBeLessThan(2_500);
  expect(output.stderr).toContain('1 requests were cut off');
  slow.destroy();
});
