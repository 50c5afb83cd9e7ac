import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from '@carte/embedded-postgres/binaries';
import { commandAs, currentServerUser } from '@carte/embedded-postgres/unprivileged-user';
import pg from 'pg';

type Settings = Readonly<Record<string, string>>;

const settings: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '32MB',
  wal_keep_size: '256MB',
  hot_standby_feedback: 'on',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '200ms',
  recovery_target_timeline: 'latest',
};

const asUser = (program: string, args: readonly string[]) => commandAs(currentServerUser(), program, args);

/** A PostgreSQL server that can be killed, cloned and promoted. */
export class PostgresNode {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  #process: ChildProcess | undefined;

  private constructor(name: string, folder: string, port: number) {
    this.name = name;
    this.folder = folder;
    this.port = port;
  }

  static async create(parent: string, name: string, options: Settings = {}): Promise<PostgresNode> {
    const node = new PostgresNode(name, join(parent, name), await freePort());
    const { initdb } = await findBinaries();
    // The files of the WAL are copied and removed with the server; of the default size, that takes longer than what they hold.
    const args = [
      '-D',
      node.folder,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--wal-segsize=1',
    ];
    const { file, args: all, options: how } = asUser(initdb, args);
    execFileSync(file, all, { ...how, stdio: ['ignore', 'ignore', 'inherit'] });
    await node.start(options);
    await node.query('create database carte', 'postgres');
    return node;
  }

  /** A base backup by hand: the packages of the embedded server have no pg_basebackup. */
  async backUp(parent: string, name: string, port?: number): Promise<PostgresNode> {
    const copy = new PostgresNode(name, join(parent, name), port ?? (await freePort()));
    const client = new pg.Client(this.#connectionTo('postgres'));
    await client.connect();
    await client.query("select pg_backup_start('copy', true)");
    mkdirSync(copy.folder, { mode: 0o700 });
    execFileSync('cp', ['-a', `${this.folder}/.`, copy.folder]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await client.end();
    // With the WAL up to the end of the back-up, without which the copy is not consistent.
    execFileSync('cp', ['-a', `${this.folder}/pg_wal/.`, join(copy.folder, 'pg_wal')]);
    rmSync(join(copy.folder, 'postmaster.pid'), { force: true });
    writeFileSync(join(copy.folder, 'backup_label'), rows[0]?.labelfile ?? '');
    return copy;
  }

  /** Makes a standby of the server, not started yet. */
  async clone(parent: string, name: string, port?: number): Promise<PostgresNode> {
    const standby = await this.backUp(parent, name, port);
    writeFileSync(join(standby.folder, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`;
    appendFileSync(join(standby.folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    return standby;
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/carte`;
  }

  async start(options: Settings = {}): Promise<void> {
    const { postgres } = await findBinaries();
    const all = { ...settings, ...options, port: String(this.port) };
    const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = openSync(`${this.folder}.log`, 'a');
    const { file, args, options: how } = asUser(postgres, ['-D', this.folder, ...given]);
    this.#process = spawn(file, args, { ...how, stdio: ['ignore', log, log] });
    for (;;) {
      if (this.#process.exitCode !== null)
        throw new Error(`${this.name} did not start: ${readFileSync(`${this.folder}.log`, 'utf8').slice(-1000)}`);
      const isReady = await this.query('select 1', 'postgres').then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await sleep(30);
    }
  }

  /** Runs one statement on a connection of its own. */
  async query(statement: string, database = 'carte'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(this.#connectionTo(database));
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Stops receiving WAL from the primary, as a standby whose network is cut. */
  async disconnect(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''", 'postgres');
    await this.query('select pg_reload_conf()', 'postgres');
    while ((await this.query('select from pg_stat_wal_receiver')).length > 0) await sleep(20);
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote()', 'postgres');
  }

  /** SIGKILL to the server and everything it has started. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Immediate shutdown. */
  async stop(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  #connectionTo(database: string): pg.ClientConfig {
    // Only what hangs takes so long, however busy the machine is.
    return { host: '127.0.0.1', port: this.port, user: 'postgres', database, connectionTimeoutMillis: 30_000 };
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address ? address.port : 0;
}
