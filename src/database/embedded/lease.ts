import pg from 'pg';
import { port } from './socket.ts';

/**
 * Every user of the server holds a shared lock in it for as long as it stays. Whoever leaves and then gets the lock for
 * itself alone was the last one. The server forgets the locks of programs that die.
 */
export interface Lease {
  readonly client: pg.Client;
  readonly socketFolder: string;
  /** The process of the server. */
  readonly pid: number;
}

const user = 'postgres';
const lock = 1;

export function connectionTo(socketFolder: string) {
  return { host: socketFolder, port, user, database: 'carte' };
}

/** Joins the server behind the socket; undefined while none is there that will stay. */
export async function join(socketFolder: string): Promise<Lease | undefined> {
  const client = new pg.Client({
    ...connectionTo(socketFolder),
    database: 'postgres',
    application_name: 'carte lease',
    connectionTimeoutMillis: 5_000,
    ssl: false,
  });
  // What went wrong also ends the connection or fails the query; without a listener it would end the program.
  client.on('error', () => {});
  try {
    await client.connect();
    const pid = await takeShared(client);
    if (pid !== undefined) return { client, socketFolder, pid };
    await client.end();
  } catch (error) {
    await client.end();
    if (!isPassing(error)) throw error;
  }
  return undefined;
}

/** Gives the lease up; true if nobody else holds one. Newcomers then wait for as long as the connection lives. */
export async function resign({ client }: Lease): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [lock]);
  try {
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [lock]);
    return rows[0]?.last === true;
  } catch (error) {
    // Another program resigned at the same time, was the last one and is stopping the server: it may say so, or just hang up.
    if (isPassing(error)) return false;
    throw error;
  }
}

/** Creates the database unless it is there; programs that start together queue. */
export async function createDatabase({ client }: Lease): Promise<void> {
  const creation = lock + 1;
  await client.query('select pg_advisory_lock($1)', [creation]);
  const { rowCount } = await client.query("select from pg_database where datname = 'carte'");
  if (rowCount === 0) await client.query('create database carte');
  await client.query('select pg_advisory_unlock($1)', [creation]);
}

/** Takes the lock and says which process the server is; undefined where that server is about to end. */
async function takeShared(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [lock]);
  if (!rows[0]?.held) return undefined;
  // A server that stops says so in its lock file first; only then does it end connections, which frees the lock of the
  // one who is stopping it.
  const file = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  const lines = file.rows[0]?.text.split('\n') ?? [];
  return lines[7]?.trim() === 'ready' ? Number(lines[0]) : undefined;
}

/** Anything but a clear no: nobody listens, the connection broke, the server starts, stops (57) or is full (53300). */
export function isPassing(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57|53300)/.test(error.code ?? '');
}
