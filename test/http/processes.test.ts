import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createData, createKey } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { codeOf, newAgent, type Outcome, send, startLoad, statusesOf } from './load.ts';
import { isAlive, processesOf, signalUntilEnded, waitUntil } from './processes.ts';
import { shareService, startService } from './service.ts';

const orm = await createDatabase();
const key = await createKey(orm);
const store = await createData(orm).store();
const path = `/v1/stores/${store.id}/menu_configuration/`;
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

const folder = mkdtempSync(join(tmpdir(), 'carte processes '));
afterAll(() => rmSync(folder, { recursive: true }));
const trustedDocuments = join(folder, 'documents.json');
const [known, added] = ['a'.repeat(64), 'b'.repeat(64)];
const writeDocuments = (documents: object) => writeFileSync(trustedDocuments, JSON.stringify(documents));

const shop = join(folder, 'shop');
mkdirSync(shop);
const writeOperation = (name: string) =>
  writeFileSync(join(shop, 'a.graphql'), `query ${name} @route(path: "/shop/${name}") { stores { totalCount } }`);

const timeout = 120_000;

const succeeds = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  );

/** Each test leaves two processes behind, or none: then the next one starts a service of its own. */
describe('CARTE_PROCESSES=2', { timeout }, () => {
  const running = shareService(orm, {
    CARTE_PROCESSES: '2',
    CARTE_LOG_LEVEL: 'info',
    CARTE_TRUSTED_DOCUMENTS: trustedDocuments,
    CARTE_OPERATIONS: shop,
    CARTE_MAX_CONNECTIONS: '20',
    CARTE_RECEIVE_SECONDS: '2',
    CARTE_SHUTDOWN_DELAY_SECONDS: '1',
  });
  beforeEach(() => {
    writeDocuments({ [known]: '{ __typename }' });
    writeOperation('a');
  });

  const load = (url: string, isLast?: (error: unknown) => boolean) => startLoad({ url, path, key }, isLast);
  const statusOf = async (url: string, operation: string) => {
    const agent = newAgent();
    const { status } = await send(agent, `${url}/shop/${operation}`, { headers });
    agent.destroy();
    return status;
  };
  /** The log from now on, without requests. */
  const followLog = ({ output }: Awaited<ReturnType<typeof running>>) => {
    const from = output.stderr.length;
    return () =>
      output.stderr
        .slice(from)
        .split('\n')
        .filter(line => line !== '' && !line.includes('"msg":"request"'));
  };

  test('every process knows the pages of the service, whatever the port', async () => {
    const { url } = await running();
    const { port } = new URL(url);
    const warned = async (origin: string) => {
      // Connections that are kept would count in the next test.
      const init = { headers: { ...headers, origin, connection: 'close' } };
      const responses = await Promise.all([1, 2, 3, 4].map(() => fetch(`${url}${path}`, init)));
      await Promise.all(responses.map(response => response.text()));
      return responses.map(response => response.headers.has('x-carte-warning'));
    };
    for (const name of ['localhost', '127.0.0.1']) expect(await warned(`http://${name}:${port}`)).not.toContain(true);
    expect(await warned(`http://evil.example:${port}`)).not.toContain(false);
  });

  test('connections beyond CARTE_MAX_CONNECTIONS are closed, and so are those on which a request is slow', async () => {
    const { url } = await running();
    const check = (agent: Agent) => send(agent, `${url}/health/live`, { headers: {} });
    const agents = Array.from({ length: 19 }, newAgent);
    expect(statusesOf(await Promise.all(agents.map(check)))).toEqual([200]);
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    slow.write('GET /health/live HTTP/1.1\r\nHost: x\r\n');
    await expect(check(newAgent())).rejects.toMatchObject({ code: 'ECONNRESET' });
    const [response] = await once(slow, 'data');
    expect(String(response)).toMatch(/^HTTP\/1.1 408 /);
    const replacement = newAgent();
    await waitUntil(() => succeeds(check(replacement)));
    for (const agent of [...agents, replacement]) agent.destroy();
    // Connections that were closed just now may still count.
    await waitUntil(() => succeeds(processesOf(url)));
  });

  test('two processes share the port and the connections, and one scrape of the metrics covers both', async () => {
    const { child, url, output } = await running();
    const processes = await processesOf(url);
    expect(processes).toHaveLength(2);
    expect(processes).not.toContain(child.pid);
    const route = 'carte_http_request_duration_seconds_count{method="GET",route="/v1/merchants/",status="200"';
    const agents = Array.from({ length: 10 }, newAgent);
    await Promise.all(agents.map(agent => send(agent, `${url}/v1/merchants/`, { headers })));
    for (const agent of agents) agent.destroy();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const pid of processes) {
      expect(metrics).toContain(`${route},process="${pid}"} 5\n`);
      expect(output.stderr).toContain(`"pid":${pid},`);
    }
    expect(metrics.match(/^# TYPE carte_http_request_duration_seconds /gm)).toHaveLength(1);
    expect(metrics).not.toMatch(/ (null|undefined)$/m);
  });

  test('signals to a worker have no effect: a terminal or a supervisor may signal all processes', async () => {
    const { url } = await running();
    const processes = await processesOf(url);
    for (const pid of processes) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
    expect(await processesOf(url)).toEqual(processes);
  });

  test('SIGHUP under load replaces the workers without dropping a request, and they read changed files', async () => {
    const service = await running();
    const { child, url, output } = service;
    const log = followLog(service);
    const queryById = async (documentId: string) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      return (await fetch(`${url}/graphql`, { ...init, body: JSON.stringify({ documentId }) })).text();
    };
    const before = await processesOf(url);
    expect(await queryById(added)).toContain('PERSISTED_QUERY_NOT_IN_LIST');
    expect(await Promise.all(['a', 'b'].map(name => statusOf(url, name)))).toEqual([200, 404]);
    writeDocuments({ [known]: '{ __typename }', [added]: 'query Added { __typename }' });
    writeOperation('b');
    const { outcomes, dropped, stop } = load(url);
    await waitUntil(() => outcomes.length > 24);
    const probe = newAgent();
    const health: Outcome[] = [];
    child.kill('SIGHUP');
    while (before.some(isAlive)) {
      health.push(await send(probe, `${url}/health/ready`, { headers: {} }));
      await sleep(50);
    }
    probe.destroy();
    const answered = outcomes.length;
    await waitUntil(() => outcomes.length > answered + 24);
    await stop();
    expect(dropped).toEqual([]);
    expect(statusesOf([...outcomes, ...health])).toEqual([200]);
    const after = await processesOf(url);
    expect(after).toHaveLength(2);
    expect(after.filter(pid => before.includes(pid))).toEqual([]);
    expect(await queryById(added)).toBe('{"data":{"__typename":"Query"}}\n');
    expect(await Promise.all(['a', 'b'].map(name => statusOf(url, name)))).toEqual([404, 200]);
    expect(log().filter(line => !line.includes('"level":30'))).toEqual([]);
    expect(log().at(-1)).toContain('All processes have been replaced');
    expect(output.stdout.match(/Carte is ready/g)).toHaveLength(1);
  });

  test('SIGHUP keeps the workers if a new one cannot start', async () => {
    const service = await running();
    const { child, url, output } = service;
    const log = followLog(service);
    const before = await processesOf(url);
    rmSync(trustedDocuments);
    child.kill('SIGHUP');
    await waitUntil(() => output.stderr.includes('did not become ready'));
    expect(log().join('\n')).toContain('documents.json');
    expect(await processesOf(url)).toEqual(before);
  });

  test('SIGHUP with an error in operations keeps the old ones, also in the workers that replace killed ones', async () => {
    const service = await running();
    const { child, url, output } = service;
    const log = followLog(service);
    const before = await processesOf(url);
    const served = (await statusOf(url, 'a')) === 200 ? 'a' : 'b';
    writeOperation('1');
    child.kill('SIGHUP');
    await waitUntil(() => log().join('\n').includes('did not become ready'));
    expect(log().join('\n')).toContain('shop/a.graphql:1: Syntax Error');
    expect(await processesOf(url)).toEqual(before);

    // Killed workers are replaced and logged, and only their own connections break.
    const { outcomes, dropped, stop } = load(url);
    await waitUntil(() => outcomes.length > 24);
    process.kill(before[0] ?? 0, 'SIGKILL');
    const answered = outcomes.length;
    await waitUntil(() => outcomes.length > answered + 20);
    await stop();
    expect(statusesOf(outcomes)).toEqual([200]);
    expect(dropped.length).toBeLessThanOrEqual(4);

    // Requests wait if all are killed: the second one, and the replacement of the first if it is ready by now.
    for (const pid of await processesOf(url)) process.kill(pid, 'SIGKILL');
    const check = () => send(newAgent(), `${url}/health/live`, { headers: {} }).catch(codeOf);
    let outcome = await check();
    // A connection may reach a killed worker before the primary knows.
    while (outcome === 'ECONNRESET') outcome = await check();
    expect(outcome).toMatchObject({ status: 200 });
    await waitUntil(async () => (await processesOf(url)).length === 2);
    expect((await processesOf(url)).filter(pid => before.includes(pid))).toEqual([]);
    for (const pid of before) expect(output.stderr).toContain(`Process ${pid} ended by itself: signal SIGKILL`);
    // Connections go to the workers in turn.
    for (const _ of [1, 2]) expect(await statusOf(url, served)).toBe(200);
  });

  test('SIGTERM under load fails readiness for CARTE_SHUTDOWN_DELAY_SECONDS, then ends all processes without dropping a request', async () => {
    const service = await running();
    const { child, ended, url } = service;
    const processes = await processesOf(url);
    const log = followLog(service);
    let isSignalled = false;
    const isLast = (error: unknown) => isSignalled && codeOf(error) === 'ECONNREFUSED';
    const { outcomes, lastOutcomes, dropped, ended: loadEnded } = load(url, isLast);
    await waitUntil(() => outcomes.length > 24);
    isSignalled = true;
    child.kill('SIGTERM');
    await waitUntil(async () => (await fetch(`${url}/health/ready`)).status === 503);
    expect((await fetch(`${url}/v1/stores/`, { headers })).status).toBe(200);
    await loadEnded;
    expect(dropped).toEqual([]);
    expect(statusesOf(outcomes)).toEqual([200]);
    expect(lastOutcomes.map(({ connection }) => connection)).toEqual(Array(8).fill('close'));
    expect(await ended).toMatchObject({ code: 0 });
    expect(log()).toEqual([]);
    expect(processes.filter(isAlive)).toEqual([]);
  });
});

/** Starts a service whose workers hang once they are ready. */
async function startHanging(env: Record<string, string>) {
  const NODE_OPTIONS = `--import ${new URL('../support/hanging-worker.ts', import.meta.url)}`;
  const service = await startService(orm, { CARTE_PROCESSES: '2', NODE_OPTIONS, ...env });
  const workers = [...service.output.stderr.matchAll(/^worker (\d+)$/gm)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of workers.filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  expect(workers.filter(isAlive)).toHaveLength(2);
  return { ...service, workers };
}

describe('CARTE_PROCESSES=2 with workers that hang', { timeout }, () => {
  test('a signal ends all processes after CARTE_SHUTDOWN_SECONDS', async () => {
    const { child, ended, workers } = await startHanging({ CARTE_SHUTDOWN_SECONDS: '1' });
    const begun = performance.now();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    const seconds = (performance.now() - begun) / 1_000;
    expect(seconds).toBeGreaterThan(0.99);
    // The default.
    expect(seconds).toBeLessThan(20);
    await waitUntil(() => !workers.some(isAlive));
  });

  test('a second signal ends all processes at once', async () => {
    const { child, ended, url, workers } = await startHanging({ CARTE_SHUTDOWN_SECONDS: '3600' });
    child.kill('SIGTERM');
    // Then the first signal has arrived.
    await waitUntil(async () => !(await isListening(url)));
    expect(workers.every(isAlive)).toBe(true);
    signalUntilEnded(child);
    expect(await ended).toMatchObject({ code: 1 });
    await waitUntil(() => !workers.some(isAlive));
  });
});

function isListening(url: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => resolve(true)).once('connect', () => socket.destroy());
  });
}
