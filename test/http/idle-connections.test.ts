import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const app = await startApp();
const mebibyte = 1024 * 1024;
const connections = 5;

test('idle connections keep neither the body nor the response of their last request in memory', async () => {
  const store = await app.data.store();
  const url = `${app.url}/v1/stores/${store.id}/menu_configuration/`;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  await app.data.menu(store, menuOfSize({ ...largestMenu, categories: 20, items: 1_000, groups: 300 }));
  const { text: body } = await app.get(`/v1/stores/${store.id}/menu_configuration/flat`);
  expect(body.length).toBeGreaterThan(mebibyte / 2);
  const post = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };
      const sent = request(url, { agent, method: 'POST', headers }, response => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end(body);
    });
  await post();
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const statuses = await Promise.all(Array.from({ length: connections }, post));
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The last buffers of a response are free when the system has taken them.
  await vi.waitFor(
    () => {
      collectGarbage();
      expect((process.memoryUsage().arrayBuffers - before) / mebibyte).toBeLessThan(8);
    },
    { timeout: 60_000, interval: 200 },
  );
  agent.destroy();
});
