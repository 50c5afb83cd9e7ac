import { readFileSync } from 'node:fs';
import { fuzz } from '../support/hostile/fuzz.ts';
import type { Target } from '../support/hostile/probe.ts';
import { differences, observe } from '../support/hostile/state.ts';
import { readOptions } from '../support/options.ts';
import { carte, createKey, type Environment, type Server } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';

const { requests, seed } = readOptions(
  'Sends malformed and hostile requests to a service with the demo data, and checks every response, its log and its memory.',
  { requests: 20_000, seed: '1' },
);

const mebibyte = 1024 ** 2;
const mostGrowth = 200 * mebibyte;
const storeId = 'lisbon-baixa';

async function prepare({ url }: Server, env: Environment): Promise<Target> {
  const keys = { write: await createKey(env, '--write'), read: await createKey(env), revoked: await createKey(env) };
  const listed = await carte(['key', 'list'], env);
  const revoked = [...listed.matchAll(/key_\w+/g)].at(-1)?.[0] ?? '';
  await carte(['key', 'revoke', revoked], env);
  const headers = { 'x-api-key': keys.read };
  const orders = await (await fetch(`${url}/v1/stores/${storeId}/orders/?page_size=1`, { headers })).json();
  const merchants = await (await fetch(`${url}/v1/merchants/`, { headers })).json();
  const body = JSON.parse(readFileSync(new URL(`../demo/menus/${storeId}.json`, import.meta.url), 'utf8'));
  return {
    keys,
    storeId,
    otherStoreId: 'tokyo-yanaka',
    merchantId: merchants[0].id,
    orderId: orders.order_result_list[0].id,
    body,
  };
}

/** Current and peak memory of the process in bytes. */
function memoryOf({ child }: Server): { readonly held: number; readonly most: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { held: read('VmRSS'), most: read('VmHWM') };
}

const inMebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

await runDrill(async ({ folder, startServer, violations }) => {
  const env = {
    CARTE_DATA: folder,
    PORT: '0',
    CARTE_LOG_LEVEL: 'error',
    // A small heap and cache, so that neither uncollected garbage nor cached responses look like a leak.
    NODE_OPTIONS: '--max-old-space-size=256',
    CARTE_CACHE_BYTES: String(16 * mebibyte),
  };
  const log: string[] = [];
  const server = await startServer(env, text => void log.push(text));
  const target = await prepare(server, env);
  const options = { url: server.url, target, stalls: true, slowestMs: 3_000 };
  // Warm-up, so that code that is loaded and compiled once does not count as growth.
  await fuzz({ ...options, requests: 500, seed: 'warm', stalls: false });
  const before = await observe(server.url, target);
  const memoryBefore = memoryOf(server);
  const begun = performance.now();
  const { counts, slowest, stored, ...found } = await fuzz({ ...options, requests, seed });
  const seconds = (performance.now() - begun) / 1000;
  const after = await observe(server.url, target);
  const memory = memoryOf(server);
  const growth = memory.held - memoryBefore.held;
  console.log(`${requests} requests in ${seconds.toFixed(0)} s`);
  for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(8)}  ${kind}`);
  console.log(`slowest: ${Math.round(slowest.milliseconds)} ms for ${slowest.what.slice(0, 150)}`);
  console.log(
    `memory: ${inMebibytes(memoryBefore.held)} before, ${inMebibytes(memory.held)} after, at most ${inMebibytes(memory.most)}`,
  );
  // The start prints plain lines.
  const logged = log
    .join('')
    .split('\n')
    .filter(line => line !== '' && !line.endsWith(' …'));
  violations.push(...found.violations, ...differences(before, after, target, stored));
  if (logged.length > 0) violations.push(`the log has ${logged.length} lines, e.g. ${logged[0]?.slice(0, 400)}`);
  if (growth > mostGrowth) violations.push(`memory grew by ${inMebibytes(growth)}`);
});
