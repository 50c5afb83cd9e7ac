/**
 * Sends malformed and hostile requests to its own server with the demo data, and checks every response:
 *   npx node drills/hostile.ts [--requests 20000] [--seed 1] [--show 10]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { besiege } from '../support/hostile/fuzz.ts';
import type { Target } from '../support/hostile/probe.ts';
import { differences, observe } from '../support/hostile/state.ts';
import { carte, type Server, startServer, stopServer } from '../support/servers.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
  },
});

const mebibyte = 1024 ** 2;
const mostGrowth = 200 * mebibyte;
const folder = mkdtempSync(join(tmpdir(), 'carte-hostile-'));
const env = {
  CARTE_DATA: folder,
  PORT: '0',
  CARTE_LOG_LEVEL: 'error',
  // A small heap and cache, so that neither uncollected garbage nor cached responses look like a leak.
  NODE_OPTIONS: '--max-old-space-size=256',
  CARTE_CACHE_BYTES: String(16 * 1024 ** 2),
};
const storeId = 'lisbon-baixa';

async function prepare({ url }: Server): Promise<Target> {
  const create = (...options: readonly string[]) =>
    carte(['key', 'create', '--name', 'hostile', '--all', ...options], env);
  const keys = { write: await create('--write'), read: await create(), revoked: await create() };
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

async function main(): Promise<readonly string[]> {
  const log: string[] = [];
  const server = await startServer(env, text => void log.push(text));
  try {
    const target = await prepare(server);
    const siege = { url: server.url, target, stalls: true, slowestMs: 3_000 };
    // Warm-up, so that code that is loaded and compiled once does not count as growth.
    await besiege({ ...siege, requests: 500, seed: 'warm', stalls: false });
    const before = await observe(server.url, target);
    const memoryBefore = memoryOf(server);
    const begun = performance.now();
    const { counts, violations, slowest, stored } = await besiege({
      ...siege,
      requests: Number(values.requests),
      seed: values.seed,
    });
    const seconds = (performance.now() - begun) / 1000;
    const after = await observe(server.url, target);
    const memory = memoryOf(server);
    const growth = memory.held - memoryBefore.held;
    console.log(`${values.requests} requests in ${seconds.toFixed(0)} s`);
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
    const spoken = logged.length > 0 ? [`the log has ${logged.length} lines, e.g. ${logged[0]?.slice(0, 400)}`] : [];
    const grown = growth > mostGrowth ? [`memory grew by ${inMebibytes(growth)}`] : [];
    return [...violations, ...differences(before, after, target, stored), ...spoken, ...grown];
  } finally {
    await stopServer(server);
  }
}

const inMebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

try {
  const violations = await main();
  console.log(violations.length === 0 ? 'no violation' : `${violations.length} violations, the first of them:`);
  for (const violation of violations.slice(0, Number(values.show))) console.log(`- ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
