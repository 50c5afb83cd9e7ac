import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { directConnection } from '../support/database.ts';
import { smallBody } from './body.ts';
import { ask, newAgent, type Outcome } from './load.ts';
import { startService } from './service.ts';

const app = await startApp();
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };

const serve = (env: Record<string, string> = {}) => startService(app.orm, env);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

const isRefusal = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

describe('SIGTERM', () => {
  test('under load ends the service without dropping a request', async () => {
    const { child, ended, url } = await serve();
    const outcomes: Outcome[] = [];
    const dropped: unknown[] = [];
    let isSignalled = false;
    const load = async (number: number) => {
      const agent = newAgent();
      for (let turn = 0; ; turn++) {
        const write = (turn + number) % 3 === 0;
        const sent = write ? { headers, body: JSON.stringify(smallBody(`${number} ${turn}`)) } : { headers };
        try {
          outcomes.push(await ask(agent, url + menuPath, sent));
        } catch (error) {
          if (!isSignalled || !isRefusal(error)) dropped.push(error);
          return;
        }
      }
    };
    const loads = Array.from({ length: 12 }, (_, number) => load(number));
    await until(() => outcomes.length > 200);
    isSignalled = true;
    child.kill('SIGTERM');
    await Promise.all(loads);
    expect(dropped).toEqual([]);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(outcomes.slice(-12).map(({ connection }) => connection)).toEqual(Array(12).fill('close'));
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('turns readiness before anything else, for as long as it is told to', async () => {
    const { child, ended, url } = await serve({ CARTE_SHUTDOWN_DELAY_SECONDS: '1' });
    child.kill('SIGTERM');
    let answer = await fetch(`${url}/health/ready`);
    while (answer.status === 200) answer = await fetch(`${url}/health/ready`);
    expect(await answer.json()).toEqual({ status: 'not ready', reason: 'the service is shutting down' });
    expect((await fetch(`${url}/v1/stores/`, { headers })).status).toBe(200);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('waits for a request under way, and not for connections on which nothing happens', async () => {
    const { child, ended, url } = await serve();
    const silent = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    const blocker = new pg.Client(directConnection(app.orm));
    await blocker.connect();
    onTestFinished(() => blocker.end());
    await blocker.query('begin');
    await blocker.query('select from store where id = $1 for update', [store.id]);
    const asked = ask(newAgent(), url + menuPath, { headers, body: JSON.stringify(smallBody('under way')) });
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await app.orm.em.fork().execute(waits)).length === 0) await sleep(20);
    child.kill('SIGTERM');
    await once(silent, 'close');
    await blocker.query('rollback');
    expect(await asked).toMatchObject({ status: 200, connection: 'close' });
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('ends within its bound, whatever hangs', async () => {
    const { child, ended, url, output } = await serve({ CARTE_SHUTDOWN_SECONDS: '2', CARTE_RECEIVE_SECONDS: '600' });
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    slow.on('error', () => {});
    slow.write(`POST ${menuPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${app.key}\r\nContent-Length: 1000\r\n\r\n{`);
    while (!(await (await fetch(`${url}/metrics`)).text()).includes('carte_http_requests_in_flight 2')) await sleep(20);
    const begun = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(output.stderr).toContain('1 requests were cut off');
    slow.destroy();
  });

  test('a second signal ends it at once', async () => {
    const { child, ended, url } = await serve({ CARTE_SHUTDOWN_DELAY_SECONDS: '60' });
    child.kill('SIGTERM');
    while ((await fetch(`${url}/health/ready`)).status === 200) await sleep(20);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 1 });
  });
});

test('SIGHUP, as from a terminal that closes, ends the one process in good order', async () => {
  const { child, ended } = await serve();
  child.kill('SIGHUP');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
