import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startDatabase } from '../support/database.ts';
import { freePort } from '../support/failover/postgres.ts';
import { readOptions } from '../support/options.ts';
import type { Program } from '../support/program.ts';
import { carte, importDocuments, type Server, stopServer } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { orderableMenu } from './support/menu.ts';

const { seconds } = readOptions(
  `Runs two services, each with a database and merchants of its own, behind HAProxy with the map of keys of deploy/cells: every key must reach its own
cell alone, also while the other one is stopped, for --seconds.`,
  { seconds: 4 },
);

interface Cell {
  readonly name: string;
  readonly server: Server;
  readonly key: string;
  /** A publishable one. */
  readonly guests: string;
  readonly store: string;
}

const describe = (counts: ReadonlyMap<number, number>) =>
  [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
const deployed = (name: string) => readFileSync(new URL(`../deploy/cells/${name}`, import.meta.url), 'utf8');

async function startCell({ folder, atEnd, startServer }: Program, name: string): Promise<Cell> {
  const database = await startDatabase(join(folder, name));
  atEnd(() => database.stop());
  const { env } = database;
  const [merchant, store] = [`${name}-merchant`, `${name}-store`];
  await importDocuments('merchants', [{ id: merchant, brand_name: name }], env);
  await importDocuments('stores', [{ id: store, name: {}, merchant: { id: merchant } }], env);
  const key = await carte(['key', 'create', '--name', name, '--merchant', merchant, '--write'], env);
  const guests = await carte(['key', 'create', '--name', `${name}-guests`, '--store', store, '--publishable'], env);
  const settings = { CARTE_LOG_LEVEL: 'silent', CARTE_MCP: 'on', CARTE_TRUST_PROXY: '127.0.0.0/8' };
  return { name, server: await startServer({ ...env, ...settings }), key, guests, store };
}

/** The status of a call of a tool with the key as a bearer token. */
async function callByToken(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  await response.text();
  return response.status;
}

/** The response to `connection_init`, or the code with which the WebSocket is closed. */
async function initialise(url: string, key: string, headers: Record<string, string> = {}): Promise<unknown> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': key } }));
  const closed = once(socket, 'close').then(([code]) => code);
  const result = await Promise.race([once(socket, 'message').then(([data]) => JSON.parse(String(data)).type), closed]);
  socket.terminate();
  return result;
}

/** HAProxy with the file of deploy/cells; only the addresses are those of this machine. */
async function startProxy({ folder, atEnd }: Program, cells: readonly Cell[]) {
  const [map, port] = [join(folder, 'cells.map'), await freePort()];
  const lines = cells.flatMap(({ key, guests, name }) => [key, guests].map(one => `${hash('sha256', one)} ${name}\n`));
  writeFileSync(map, deployed('cells.map') + lines.join(''));
  const file = join(folder, 'haproxy.cfg');
  const addresses = new Map([
    ['10.0.1.10:4000', `127.0.0.1:${port}`],
    ['10.0.1.11:4000', `127.0.0.1:${cells[0]?.server.port}`],
    ['10.0.1.12:4000', `127.0.0.1:${cells[1]?.server.port}`],
    ['/etc/haproxy/cells.map', map],
  ]);
  const text = [...addresses].reduce((all, [theirs, ours]) => all.replace(theirs, ours), deployed('haproxy.cfg'));
  writeFileSync(file, text);
  const child: ChildProcess = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return `http://127.0.0.1:${port}`;
}

if (spawnSync('haproxy', ['-v']).error) {
  console.error('Not installed: haproxy. On Debian: apt-get install --no-install-recommends haproxy');
  process.exit(2);
}

await runDrill(async drill => {
  const one = await startCell(drill, 'cell1');
  const two = await startCell(drill, 'cell2');
  const url = await startProxy(drill, [one, two]);
  const send = async (key: string, store: string, body?: object) => {
    const response = await fetch(`${url}/v1/stores/${store}/menu_configuration/`, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    await response.text();
    if (response.status === 503 && !response.headers.has('retry-after'))
      drill.violations.push('503 without Retry-After');
    return response.status;
  };
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) drill.violations.push(`${what}: ${found} instead of ${expected}`);
  };
  while ((await send(two.key, two.store).catch(() => 503)) === 503) await sleep(50);
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    expect(`a menu of ${own.name}`, await send(own.key, own.store, orderableMenu), 200);
    expect(`the store of ${other.name} with a key of ${own.name}`, await send(own.key, other.store), 404);
  }
  for (const { name, key, guests, store } of [one, two]) {
    const { status } = await fetch(`${url}/v1/stores/${store}?key=${guests}`);
    expect(`a key of ${name} in the URL`, status, 200);
    expect(`a bearer token of ${name}`, await callByToken(url, key), 200);
    const acknowledged = 'connection_ack';
    expect(`a WebSocket to ${name}`, await initialise(`${url}/graphql?cell=${name}`, key), acknowledged);
    const byKey = await initialise(`${url}/graphql`, key, { 'x-api-key': key });
    expect(`a WebSocket to ${name} by its header`, byKey, acknowledged);
    const own = await fetch(`${url}/v1/stores/`, { headers: { 'x-api-key': key, 'sec-fetch-site': 'same-origin' } });
    const cookie = own.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(`a WebSocket to ${name} by its cookie`, await initialise(`${url}/graphql`, key, { cookie }), acknowledged);
  }
  expect('a WebSocket to the other cell', await initialise(`${url}/graphql?cell=cell1`, two.key), 4403);
  expect('an unknown key', await send('carte_unknown', one.store), 401);
  await stopServer(two.server);
  const statuses = { own: new Map<number, number>(), other: new Map<number, number>() };
  for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; await sleep(20)) {
    const [own, other] = await Promise.all([send(one.key, one.store), send(two.key, two.store)]);
    statuses.own.set(own, (statuses.own.get(own) ?? 0) + 1);
    statuses.other.set(other, (statuses.other.get(other) ?? 0) + 1);
  }
  for (const status of statuses.own.keys()) expect('cell1 while cell2 is stopped', status, 200);
  for (const status of statuses.other.keys()) expect('cell2 while it is stopped', status, 503);
  console.log('each key reached its own cell; an unknown one 401, the store of another cell 404');
  console.log(`cell2 stopped: cell1 ${describe(statuses.own)}, cell2 ${describe(statuses.other)}`);
});
