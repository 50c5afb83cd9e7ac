import { once } from 'node:events';
import type { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { smallBody } from './body.ts';
import { ask, newAgent, type Outcome } from './load.ts';
import { isAlive, processesOf, until } from './processes.ts';
import { startService } from './service.ts';

const app = await startApp();
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };

const serve = (env: Record<string, string> = {}) => startService(app.orm, { CARTE_PROCESSES: '2', ...env });

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error);

/** Readers and writers on connections that they keep, until each meets an error that `isLast` allows for. */
/** On a connection that no process has taken: the system ends those, too, that a dead one had not accepted yet. */
const isNew = (error: unknown) => error instanceof Error && 'isNew' in error && error.isNew === true;

function startLoad(url: string, isLast: (error: unknown) => boolean = () => false) {
  const outcomes: Outcome[] = [];
  const dropped: unknown[] = [];
  let isOver = false;
  const load = async (number: number) => {
    const agent = newAgent();
    for (let turn = 0; !isOver; turn++) {
      const write = (turn + number) % 3 === 0;
      const sent = write ? { headers, body: JSON.stringify(smallBody(`${number} ${turn}`)) } : { headers };
      try {
        outcomes.push(await ask(agent, url + menuPath, sent));
      } catch (error) {
        if (isLast(error)) return;
        dropped.push(codeOf(error));
      }
    }
  };
  const loads = Array.from({ length: 8 }, (_, number) => load(number));
  const stop = () => {
    isOver = true;
    return Promise.all(loads);
  };
  onTestFinished(async () => void (await stop()));
  return { outcomes, dropped, stop, ended: Promise.all(loads) };
}

const statusesOf = (outcomes: readonly Outcome[]) => [...new Set(outcomes.map(({ status }) => status))];

describe('CARTE_PROCESSES=2', { timeout: 120_000 }, () => {
  test('two processes share the port and the connections, and one scrape shows both', async () => {
    const { child, ended, url, output } = await serve({ CARTE_LOG_LEVEL: 'info' });
    const processes = await processesOf(url);
    expect(processes).toHaveLength(2);
    expect(processes).not.toContain(child.pid);
    const agents = Array.from({ length: 10 }, newAgent);
    await Promise.all(agents.map(agent => ask(agent, `${url}/v1/stores/`, { headers })));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const route = 'method="GET",route="/v1/stores/",status="200"';
    for (const pid of processes) {
      expect(metrics).toContain(`carte_http_request_duration_seconds_count{${route},process="${pid}"} 5\n`);
      expect(output.stderr).toContain(`"pid":${pid},`);
    }
    expect(metrics.match(/^# TYPE carte_http_request_duration_seconds /gm)).toHaveLength(1);
    expect(metrics).not.toMatch(/ (null|undefined)$/m);
    // A terminal or a supervisor may signal all processes; only the primary heeds it.
    for (const pid of processes) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
    expect(await processesOf(url)).toEqual(processes);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(processes.filter(isAlive)).toEqual([]);
  });

  test('connections beyond CARTE_MAX_CONNECTIONS are closed, and so are those on which a request is slow', async () => {
    const { url } = await serve({ CARTE_MAX_CONNECTIONS: '3', CARTE_RECEIVE_SECONDS: '1' });
    const come = (agent: Agent) => ask(agent, `${url}/health/live`, { headers: {} });
    const agents = [newAgent(), newAgent()];
    expect(statusesOf(await Promise.all(agents.map(come)))).toEqual([200]);
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    slow.write('GET /health/live HTTP/1.1\r\nHost: x\r\n');
    await expect(come(newAgent())).rejects.toMatchObject({ code: 'ECONNRESET' });
    const [answer] = await once(slow, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
    await until(() =>
      come(newAgent()).then(
        () => true,
        () => false,
      ),
    );
  });

  test('one that is killed is replaced, the log says so, and only its own connections break', async () => {
    const { child, ended, url, output } = await serve();
    const before = await processesOf(url);
    const { outcomes, dropped, stop } = startLoad(url);
    await until(() => outcomes.length > 100);
    const victim = before[0] ?? 0;
    process.kill(victim, 'SIGKILL');
    const answered = outcomes.length;
    await until(() => outcomes.length > answered + 100);
    await until(async () => (await processesOf(url)).length === 2);
    await stop();
    expect(await processesOf(url)).not.toContain(victim);
    expect(statusesOf(outcomes)).toEqual([200]);
    expect(dropped.length).toBeLessThanOrEqual(4);
    expect(output.stderr).toContain(`Process ${victim} ended by itself: signal SIGKILL`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('if all are killed, callers wait for those that follow', async () => {
    const { child, ended, url } = await serve();
    for (const pid of await processesOf(url)) process.kill(pid, 'SIGKILL');
    let outcome = await ask(newAgent(), `${url}/health/live`, { headers: {} }).catch(codeOf);
    // A connection may come to one that has been killed before anyone could know.
    while (outcome === 'ECONNRESET')
      outcome = await ask(newAgent(), `${url}/health/live`, { headers: {} }).catch(codeOf);
    expect(outcome).toMatchObject({ status: 200 });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('SIGHUP under load puts new processes in their place without dropping a request', async () => {
    const { child, ended, url, output } = await serve();
    const before = await processesOf(url);
    const { outcomes, dropped, stop } = startLoad(url);
    await until(() => outcomes.length > 100);
    const probe = newAgent();
    const health: Outcome[] = [];
    child.kill('SIGHUP');
    while (before.some(isAlive)) {
      health.push(await ask(probe, `${url}/health/ready`, { headers: {} }));
      await sleep(20);
    }
    const answered = outcomes.length;
    await until(() => outcomes.length > answered + 100);
    await stop();
    expect(dropped).toEqual([]);
    expect(statusesOf([...outcomes, ...health])).toEqual([200]);
    const after = await processesOf(url);
    expect(after).toHaveLength(2);
    expect(after.filter(pid => before.includes(pid))).toEqual([]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(output.stdout.match(/Carte is ready/g)).toHaveLength(1);
  });

  test('SIGTERM under load ends all without dropping a request', async () => {
    const { child, ended, url } = await serve();
    const processes = await processesOf(url);
    let isSignalled = false;
    const {
      outcomes,
      dropped,
      ended: loadEnded,
    } = startLoad(url, error => isSignalled && codeOf(error) === 'ECONNREFUSED');
    await until(() => outcomes.length > 100);
    isSignalled = true;
    child.kill('SIGTERM');
    await loadEnded;
    expect(dropped).toEqual([]);
    expect(statusesOf(outcomes)).toEqual([200]);
    expect(outcomes.slice(-8).map(({ connection }) => connection)).toEqual(Array(8).fill('close'));
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(processes.filter(isAlive)).toEqual([]);
  });

  test('SIGTERM turns readiness first; a second signal ends all at once', async () => {
    const { child, ended, url } = await serve({ CARTE_SHUTDOWN_DELAY_SECONDS: '60' });
    const processes = await processesOf(url);
    child.kill('SIGTERM');
    await until(async () => (await fetch(`${url}/health/ready`)).status === 503);
    expect((await fetch(`${url}/v1/stores/`, { headers })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 1 });
    await until(() => !processes.some(isAlive));
  });

  test('SIGTERM ends within its bound, whatever hangs', async () => {
    const { child, ended, url } = await serve({ CARTE_SHUTDOWN_SECONDS: '2' });
    const processes = await processesOf(url);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    const begun = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(3_000);
    await until(() => !processes.some(isAlive));
  });

  test('kill -9 of the primary leaves no process behind, and those under way are answered', async () => {
    const { child, ended, url } = await serve();
    const processes = await processesOf(url);
    let isKilled = false;
    const { outcomes, dropped, ended: loadEnded } = startLoad(url, error => isKilled && isNew(error));
    await until(() => outcomes.length > 100);
    isKilled = true;
    child.kill('SIGKILL');
    await ended;
    await loadEnded;
    await until(() => !processes.some(isAlive));
    expect(dropped).toEqual([]);
    expect(statusesOf(outcomes)).toEqual([200]);
  });
});
