import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
// For its types: so the example is checked with everything else.
import type {} from '../../examples/poll-orders/poll.ts';
import { sharedApp } from '../support/app.ts';
import { readExample } from './readme.ts';

const app = await sharedApp();

/** Lets requests through to the service and notes their answers; the first one is cut off. */
async function startWatch() {
  const statuses: number[] = [];
  let first = true;
  const server = createServer(async (request, response) => {
    if (first) {
      first = false;
      return void request.destroy();
    }
    const headers = new Headers();
    for (const name of ['x-api-key', 'if-none-match']) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const answer = await fetch(new URL(request.url ?? '', app.url), { headers });
    const body = await answer.text();
    statuses.push(answer.status);
    response.writeHead(answer.status, { etag: answer.headers.get('etag') ?? '' }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, statuses };
}

/** Runs the command of its README for a store, without npx, and polling more often. */
function follow(url: string, storeId: string, key = app.key) {
  const { folder, commands } = readExample('poll-orders', key);
  const command = commands.replace(
    'npx node poll.ts lisbon-baixa 5',
    `exec '${process.execPath}' poll.ts '${storeId}' 0.05`,
  );
  expect(command).toContain('exec ');
  const env = { ...process.env, CARTE_URL: url };
  const child = spawn('bash', ['-c', command], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (said.stdout += chunk));
  child.stderr.on('data', chunk => (said.stderr += chunk));
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  const idsShown = () =>
    said.stdout.split('\n').flatMap(line => (line ? [line.split('  ').slice(1, 3).join(' ')] : []));
  return { said, ended, idsShown };
}

test('prints open orders once, oldest first, again when their status changes, and polls with the ETag', async () => {
  const store = await app.data.store();
  const [first, second] = await app.data.orders(store, 2);
  await app.data.orders(store, 1, { status: 'FULFILLED' });
  const watch = await startWatch();
  const { said, idsShown } = follow(watch.url, store.id);
  await expect.poll(idsShown, { timeout: 60_000 }).toEqual([`PENDING ${first?.id}`, `PENDING ${second?.id}`]);
  expect(said.stderr).toMatch(/^Carte is unreachable; retrying in \d\.\d s\n$/);
  await expect
    .poll(() => watch.statuses.filter(status => status === 304).length, { timeout: 60_000 })
    .toBeGreaterThan(2);

  await app.data.orders(store, 1, { ...second, status: 'READY' });
  await expect.poll(idsShown, { timeout: 60_000 }).toHaveLength(3);
  expect(idsShown().at(-1)).toBe(`READY ${second?.id}`);
  expect(watch.statuses.filter(status => status === 200)).toHaveLength(2);
});

test('prints all orders of several pages', async () => {
  const store = await app.data.store();
  const orders = await app.data.orders(store, 1001);
  const { idsShown } = follow(app.url, store.id);
  await expect.poll(() => idsShown().length, { timeout: 60_000 }).toBe(1001);
  expect(idsShown()).toEqual(orders.map(({ id }) => `PENDING ${id}`));
});

test('exits on an unknown key', async () => {
  const { said, ended } = follow(app.url, 'anywhere', 'unknown');
  expect(await ended).toBe(1);
  expect(said.stderr).toMatch(/^401 \{"detail":"The API key in the header x-api-key is not known/);
});
