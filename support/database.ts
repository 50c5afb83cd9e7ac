import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/database/embedded.ts';
import { carte } from './servers.ts';

export interface BenchDatabase {
  /** Environment of servers and commands: with a URL, so that none of them starts and owns the embedded server. */
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Imports documents with `carte import`, as chunks, since all of them may exceed the maximum length of a string. */
  importDocuments(kind: 'merchants' | 'stores' | 'orders', lines: Iterable<string>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a separate PostgreSQL in the folder. */
export async function startDatabase(folder: string): Promise<BenchDatabase> {
  const server = await startEmbedded({ dataFolder: folder });
  const { host, port, user, database } = server.connection;
  const client = new pg.Client(server.connection);
  await client.connect();
  const address = `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  // On a busy machine a saturated server would shed load instead of being measured.
  const env = { DATABASE_URL: address, CARTE_MAX_DELAY_MS: '60000', PORT: '0' };
  return {
    env,
    pid: await postmasterPid(client),
    async query(sql) {
      return (await client.query(sql)).rows;
    },
    async importDocuments(kind, lines) {
      const file = join(folder, `${kind}.ndjson`);
      await writeFile(file, lines);
      await carte(['import', kind, file], env);
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

export async function postmasterPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  return Number(rows[0]?.text.split('\n')[0]);
}
