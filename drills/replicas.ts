/**
 * Runs a primary, a standby and two server processes that read from it:
 *   npx node drills/replicas.ts [--pairs 2000] [--workers 4] [--reads 1000] [--load 16]
 * Reads each write at once through the other process; measures reads with and without the replica; then stops, pauses and
 * freezes the replica under load. A part is skipped if its option is 0.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { issueKey } from '../src/auth/keys.ts';
import { migrate } from '../src/database/migrate.ts';
import { createOrm } from '../src/orm.ts';
import { writePermissions } from '../src/scope.ts';
import { cpuOf, readsDuring, shareOf, sumOf } from '../support/replica-reads.ts';
import { type Server, startServer, stopServer } from '../support/servers.ts';
import { type Pair, startPair } from '../support/standby.ts';
import { createData, operatorFork } from '../test/support/data.ts';
import { harmReplica } from './replicas/harm.ts';
import { runPairs, send } from './replicas/pairs.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    reads: { type: 'string', default: '1000' },
    load: { type: 'string', default: '16' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'carte-replicas-'));
const problems: string[] = [];
const busy = 'busy';

async function fill(pair: Pair) {
  const orm = createOrm({ url: pair.primaryUrl });
  await migrate(orm);
  const data = createData(orm);
  const store = await data.store({ id: busy });
  await data.store({ id: 'contested' });
  const names = ['Ana Lima', 'Bruno Reis', 'Carla Nunes', 'Dora Pinto'];
  for (const [at, customerName] of names.entries()) {
    for (let part = 0; part < 5; part++) {
      await data.orders(store, 1000, { customerName, createdAt: new Date(Date.UTC(2026, at, 1 + part)) });
    }
  }
  for (let number = 0; number < 100; number++) await data.store();
  await pair.onPrimary('vacuum analyze');
  const { key } = await issueKey(operatorFork(orm), {
    ...{ name: 'bench', all: true, permissions: writePermissions },
    ...{ merchantIds: [], storeIds: [] },
  });
  return { orm, data, key };
}

const readPaths = [
  `/v1/stores/${busy}/orders/?page_size=100`,
  `/v1/stores/${busy}/orders/?page_size=100&page_index=150`,
  `/v1/stores/${busy}/orders/?page_size=50&customer_name=nunes`,
  '/v1/stores/?limit=100',
];

/** Sends reads and prints their CPU on the primary and on the replica. */
async function timeReads({ url }: Server, key: string, { folders }: Pair): Promise<void> {
  const [primary, standby] = [cpuOf(folders.primary), cpuOf(folders.standby)];
  const begun = performance.now();
  let next = 0;
  const work = async () => {
    for (let number = next++; number < Number(values.reads); number = next++) {
      const { status } = await send(`${url}${readPaths[number % readPaths.length]}`, key);
      if (status !== 200) problems.push(`a read returned ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const perSecond = Number(values.reads) / ((performance.now() - begun) / 1000);
  const ms = (seconds: number) => ((1000 * seconds) / Number(values.reads)).toFixed(2);
  console.log(
    `  ${perSecond.toFixed(0)} reads/s; CPU per read: ${ms(cpuOf(folders.primary) - primary)} ms on the primary, ` +
      `${ms(cpuOf(folders.standby) - standby)} ms on the replica`,
  );
}

const untilInUse = async (urls: readonly string[]) => {
  while ((await sumOf(urls, 'carte_replica_usable'))['1'] !== urls.length) {
    await new Promise(resolve => setTimeout(resolve, 10));
  }
};

async function main(pair: Pair): Promise<void> {
  const { orm, data, key } = await fill(pair);
  const alone = { DATABASE_URL: pair.primaryUrl, PORT: '0', CARTE_LOG_LEVEL: 'error' };
  const env = { ...alone, DATABASE_REPLICA_URLS: pair.standbyUrl };
  const servers = [await startServer(env), await startServer(env)] as const;
  const urls = [servers[0].url, servers[1].url] as const;
  await untilInUse(urls);
  if (Number(values.pairs) > 0) {
    const reads = await readsDuring(urls, async () => {
      problems.push(...(await runPairs({ urls, key, data }, Number(values.pairs), Number(values.workers))));
    });
    console.log(
      `${values.pairs} writes, each read at once through another process: ${problems.length} stale or failed`,
    );
    console.log(`  ${shareOf(reads)} from the replica ${JSON.stringify(reads)}`);
  }
  if (Number(values.reads) > 0) {
    const without = await startServer(alone);
    for (const turn of ['first', 'second']) {
      console.log(`reads only, ${turn} time, from the primary`);
      await timeReads(without, key, pair);
      console.log(`reads only, ${turn} time, with the replica`);
      const reads = await readsDuring(urls, () => timeReads(servers[0], key, pair));
      console.log(`  ${shareOf(reads)} from the replica ${JSON.stringify(reads)}`);
    }
    await stopServer(without);
  }
  if (Number(values.load) > 0) problems.push(...(await harmReplica(pair, { urls, key, busy }, Number(values.load))));
  await Promise.all(servers.map(stopServer));
  await orm.close();
}

const pair = await startPair(folder, {});
try {
  await main(pair);
} finally {
  await pair.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(
  problems.length === 0 ? 'no violation' : `${problems.length} violations, e.g.\n${problems.slice(0, 10).join('\n')}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
