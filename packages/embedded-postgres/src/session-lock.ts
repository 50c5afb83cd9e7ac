import pg from 'pg';
import { port } from './data-directory.ts';

/**
 * A shared advisory lock that every program holds in its session while it uses the server. A program that unlocks and then gets the
 * lock exclusively was the last one. The server drops the locks of programs that die.
 */
export interface SessionLock {
  readonly client: pg.Client;
  readonly socketDirectory: string;
  /** The postmaster's pid. */
  readonly pid: number;
}

const lockKey = 1;
const creationLockKey = 2;

export function connectionTo(socketDirectory: string, database: string) {
  return { host: socketDirectory, port, user: 'postgres', database };
}

/** Connects and takes the shared lock; undefined while no server accepts connections, or one is about to stop. */
export async function acquireSharedLock(socketDirectory: string): Promise<SessionLock | undefined> {
  const client = new pg.Client({
    ...connectionTo(socketDirectory, 'postgres'),
    application_name: 'carte session lock',
    connectionTimeoutMillis: 5_000,
    ssl: false,
  });
  // The pending query rejects as well; an `error` event without a listener would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const pid = await lockShared(client);
    if (pid !== undefined) return { client, socketDirectory, pid };
    await client.end();
  } catch (error) {
    await client.end();
    if (!isTransient(error)) throw error;
  }
  return undefined;
}

/** Takes the lock and returns the postmaster's pid; undefined where the server is stopping. */
async function lockShared(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [lockKey]);
  if (!rows[0]?.held) return undefined;
  // A stopping server writes so to its pid file before it closes connections, which releases the exclusive lock of the program
  // that is stopping it.
  const file = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  const lines = file.rows[0]?.text.split('\n') ?? [];
  return lines[7]?.trim() === 'ready' ? Number(lines[0]) : undefined;
}

/** Trades the shared lock for the exclusive one; true if no other program holds it. New programs then wait until the connection closes. */
export async function tryExclusiveLock({ client }: SessionLock): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [lockKey]);
  try {
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [lockKey]);
    return rows[0]?.last === true;
  } catch (error) {
    // Another program unlocked at the same time, was the last one and is stopping the server.
    if (isTransient(error)) return false;
    throw error;
  }
}

/** Creates the database unless it exists; concurrent programs serialize on a second lock. */
export async function createDatabase({ client }: SessionLock, name: string): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [creationLockKey]);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  await client.query('select pg_advisory_unlock($1)', [creationLockKey]);
}

/** Whether a connection failed because the server is not listening, starting, stopping (57) or full (53300), or the network broke. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57|53300)/.test(error.code ?? '');
}
