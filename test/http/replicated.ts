import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Target } from '../../src/database/replicas.ts';
import { createOrm } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { startPair } from '../../support/standby.ts';
import { createData, createKey, secretPermissions } from '../support/data.ts';
import { waitUntil } from './processes.ts';

/** A migrated, empty database with a standby, and services on both; all are stopped after the file's last test. */
export async function startReplicated() {
  const folder = mkdtempSync(join(tmpdir(), 'carte-replicas-'));
  const pair = await startPair(folder);
  const orm = createOrm({ url: pair.primaryUrl });
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
    await orm.close();
    await pair.stop();
    rmSync(folder, { recursive: true });
  });
  await migrate(orm);
  const key = await createKey(orm, { permissions: secretPermissions });
  return {
    pair,
    data: createData(orm),
    /** A service that shares nothing with others but the database. */
    async serve(replicaUrls: readonly string[] = [pair.standbyUrl]) {
      const own = createOrm({ url: pair.primaryUrl });
      const config = readConfig({ CARTE_LOG_LEVEL: 'silent', CARTE_KEY_CACHE_TTL_SECONDS: '0' });
      const server = await createServer(own, { ...config, replicaUrls });
      closing.push(async () => {
        await server.close();
        await own.close();
      });
      return callsTo(await server.listen({ host: '127.0.0.1', port: 0 }), key);
    },
  };
}

function callsTo(url: string, key: string) {
  const send = async (path: string, body?: unknown, given: Record<string, string> = {}) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...given };
    const response = await fetch(url + path, { ...init, headers });
    return { status: response.status, text: await response.text(), etag: response.headers.get('etag') ?? '' };
  };
  const sample = async (name: string) => {
    const line = (await send('/metrics')).text.split('\n').find(candidate => candidate.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  };
  const read = (target: Target) => sample(`carte_database_reads_total{target="${target}"}`);
  return {
    send,
    sample,
    /** Number of reads with this target. */
    read,
    isUsing: async () => (await sample('carte_replica_usable{replica="1"}')) === 1,
    /** Lists stores until the replica has served a read: now and then it is a moment behind. */
    async untilReplica() {
      const before = await read('replica');
      await waitUntil(async () => {
        await send('/v1/stores/');
        return (await read('replica')) > before;
      });
    },
  };
}
