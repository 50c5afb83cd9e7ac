import { type EmbeddedServer, startEmbedded } from '@carte/embedded-postgres';
import pg from 'pg';

/** Settings of PostgreSQL. */
export type Settings = Readonly<Record<string, string>>;

export interface Database {
  /** Environment of servers and commands: with a URL, so that none of them starts and owns the embedded server. */
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly connection: EmbeddedServer['connection'];
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Starts a separate PostgreSQL in the folder. */
export async function startDatabase(dataFolder: string, settings: Settings = {}): Promise<Database> {
  const server = await startEmbedded({ dataFolder, settings });
  const { host, port, user, database } = server.connection;
  const client = new pg.Client(server.connection);
  await client.connect();
  const address = `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  // On a busy machine a saturated server would shed load instead of being measured.
  const env = { DATABASE_URL: address, CARTE_MAX_DELAY_MS: '60000', PORT: '0' };
  return {
    env,
    pid: await postmasterPid(client),
    connection: server.connection,
    async query(sql, values = []) {
      return (await client.query(sql, [...values])).rows;
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

async function postmasterPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  return Number(rows[0]?.text.split('\n')[0]);
}
