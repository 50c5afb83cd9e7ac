import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const app = await sharedApp();
const mebibyte = 1024 * 1024;
const connections = 4;
const menu = menuOfSize({ ...largestMenu, categories: 20, items: 1_000, groups: 300 });

/** Sends a body over several connections, and expects that the memory is free again while they are idle. */
async function expectFree(path: string, body: string, kind: 'arrayBuffers' | 'heapUsed'): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers: OutgoingHttpHeaders = { 'x-api-key': app.key, 'content-type': 'application/json' };
  const post = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${app.url}${path}`, { agent, method: 'POST', headers }, response => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end(body);
    });
  await post();
  collectGarbage();
  const before = process.memoryUsage()[kind];
  const statuses = await Promise.all(Array.from({ length: connections }, post));
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The last buffers of a response are free when the system has taken them.
  await vi.waitFor(
    () => {
      collectGarbage();
      expect((process.memoryUsage()[kind] - before) / mebibyte).toBeLessThan(connections);
    },
    { timeout: 60_000, interval: 200 },
  );
  agent.destroy();
}

test('idle connections keep neither the body nor the response of their last request in memory', async () => {
  const store = await app.data.store();
  await app.data.menu(store, menu);
  const { text: body } = await app.get(`/v1/stores/${store.id}/menu_configuration/flat`);
  expect(body.length).toBeGreaterThan(mebibyte / 2);
  await expectFree(`/v1/stores/${store.id}/menu_configuration/`, body, 'arrayBuffers');
});

test('idle connections do not keep what their last request has loaded in memory', async () => {
  const store = await app.data.store();
  await app.data.menu(store, menu);
  const query = `{ store(id: "${store.id}") { menuHistory(first: 1) { nodes { configuration { items { externalId } } } } } }`;
  await expectFree('/graphql', JSON.stringify({ query }), 'heapUsed');
});
