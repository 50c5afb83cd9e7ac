import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './program.ts';
import { carte, createKey } from './servers.ts';
import { type Pair, startPair } from './standby.ts';

/** A store with 20,000 orders. */
export const busyStore = 'busy';
/** Stores without orders. */
export const quietStores: readonly string[] = Array.from({ length: 100 }, (_, index) => `store-${index}`);

const statements = [
  `insert into store (id, name) select id, '{}' from unnest(array['${busyStore}', 'contested', '${quietStores.join("', '")}']) id`,
  `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
   select gen_random_uuid()::text, '${busyStore}', timestamptz '2026-01-01Z' + n * interval '10 minutes', 'PENDING',
     (array['Ana Lima', 'Bruno Reis', 'Carla Nunes', 'Dora Pinto'])[1 + n / 5000 % 4], '+351 912 345 678', 1200, 120,
     '[{"name": "Pastel de nata", "quantity": 2}]', now(), false, false
   from generate_series(0, 19999) n`,
  'vacuum analyze',
];

export interface Replicated {
  readonly pair: Pair;
  readonly key: string;
  /** Environments of servers that read from the primary only, and from the replica as well. */
  readonly alone: Readonly<Record<string, string>>;
  readonly replicated: Readonly<Record<string, string>>;
}

/** Starts a primary with data and a standby that follows it. */
export async function startReplicated({ folder, atEnd }: Program): Promise<Replicated> {
  const pair = await startPair(folder, {});
  atEnd(() => pair.stop());
  const alone = { DATABASE_URL: pair.primaryUrl, PORT: '0', CARTE_LOG_LEVEL: 'error' };
  await carte(['migrate'], alone);
  for (const statement of statements) await pair.onPrimary(statement);
  const key = await createKey(alone, '--write');
  return { pair, key, alone, replicated: { ...alone, DATABASE_REPLICA_URLS: pair.standbyUrl } };
}

/** Waits until every service reads from its replica. */
export async function untilUsable(urls: readonly string[]): Promise<void> {
  while ((await sumOf(urls, 'carte_replica_usable'))['1'] !== urls.length) await sleep(10);
}

/** Numbers of reads by the label of `carte_database_reads_total`. */
type Reads = Readonly<Record<string, number>>;

/** Sums the metrics of the services. */
export async function sumOf(urls: readonly string[], metric: string): Promise<Reads> {
  const sums: Record<string, number> = {};
  for (const url of urls) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, label = '', value] of text.matchAll(new RegExp(`^${metric}\\{\\w+="(\\w+)"\\} (\\S+)$`, 'gm'))) {
      sums[label] = (sums[label] ?? 0) + Number(value);
    }
  }
  return sums;
}

/** Counts the reads that an action caused, by source. */
export async function readsDuring(urls: readonly string[], action: () => Promise<void>): Promise<Reads> {
  const before = await sumOf(urls, 'carte_database_reads_total');
  await action();
  const after = await sumOf(urls, 'carte_database_reads_total');
  return Object.fromEntries(Object.entries(after).map(([target, times]) => [target, times - (before[target] ?? 0)]));
}

/** Share of the eligible reads that a replica served. */
export function shareOf({ replica = 0, behind = 0, ahead = 0, failed = 0 }: Reads): string {
  return `${((100 * replica) / (replica + behind + ahead + failed)).toFixed(1)} %`;
}
