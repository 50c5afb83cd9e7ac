import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../../src/database/embedded.ts';

const following = { wal_keep_size: '1GB', hot_standby_feedback: 'on' };
const careless = { fsync: 'off', full_page_writes: 'off' };

/** A primary and a standby that follows it, each in a folder of its own. */
export interface Pair {
  readonly primary: EmbeddedServer;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** The data folders of both. */
  readonly folders: { readonly primary: string; readonly standby: string };
  startStandby(): Promise<void>;
  stopStandby(): Promise<void>;
  /** One statement on a connection of its own. */
  onPrimary(statement: string): Promise<readonly Record<string, unknown>[]>;
  onStandby(statement: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startPair(folder: string, given: Readonly<Record<string, string>> = careless): Promise<Pair> {
  const settings = { ...following, ...given };
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  const primary = await startEmbedded({ dataFolder: first, settings });
  await copyCluster(primary, first, second);
  let standby = await startEmbedded({ dataFolder: second, settings });
  const { connection } = standby;
  return {
    primary,
    primaryUrl: urlOf(primary.connection),
    standbyUrl: urlOf(connection),
    folders: { primary: first, standby: second },
    async startStandby() {
      standby = await startEmbedded({ dataFolder: second, settings });
    },
    stopStandby: () => standby.stop(),
    onPrimary: statement => ask(primary.connection, statement),
    onStandby: statement => ask(connection, statement),
    async stop() {
      await standby.stop();
      await primary.stop();
    },
  };
}

/** A base backup by hand: the packages of the embedded server have no pg_basebackup. */
async function copyCluster({ connection }: EmbeddedServer, from: string, to: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("select pg_backup_start('standby', true)");
  await mkdir(to);
  await promisify(execFile)('cp', ['-a', join(from, 'postgres'), to]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  const copy = (name: string) => join(to, 'postgres', name);
  await rm(copy('postmaster.pid'));
  await writeFile(copy('backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(copy('standby.signal'), '');
  const source = `host=${connection.host} port=${connection.port} user=${connection.user}`;
  await appendFile(copy('postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
}

function urlOf({ host, port, user, database }: EmbeddedServer['connection']): string {
  return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

async function ask(connection: pg.ClientConfig, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
