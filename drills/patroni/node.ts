import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addresses, type NodeName, processesOf } from './network.ts';

const files = new URL('../../deploy/patroni/', import.meta.url);
const deployed = (name: string): string => readFileSync(new URL(name, files), 'utf8');

/** The variables of an environment file, as systemd reads it. */
function readEnvironment(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** `node.env` of a node: that of db1 with another name and address. */
const environmentOf = (name: NodeName) =>
  readEnvironment(deployed('node.env').replaceAll('db1', name).replaceAll(addresses.db1, addresses[name]));

const superuser = {
  user: 'postgres',
  password: environmentOf('db1').PATRONI_SUPERUSER_PASSWORD ?? '',
} as const;

const binaries = /bin_dir: (.+)/.exec(deployed('patroni.yml'))?.[1] ?? '';
const dataFolder = /data_dir: (.+)/.exec(deployed('patroni.yml'))?.[1] ?? '';
/** Where the program of a Debian package is. */
export const postgresProgram = join(binaries, 'postgres');

/** Gives a node its own files under the paths that deploy/patroni names, and runs a program as Debian's unit does. */
const onOwnFiles = `
  mount --bind "$0/lib" /var/lib/postgresql && mount --bind "$0/run" /run/postgresql &&
  mkdir -p /var/lib/etcd /etc/etcd && mount --bind "$0/etcd" /var/lib/etcd && mount --bind "$0/tls" /etc/etcd &&
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"`;

export interface MemberState {
  readonly state: string;
  readonly role: string;
  readonly timeline?: number;
}

/** A machine of the cluster: a member of etcd, Patroni and its PostgreSQL. */
export class Node {
  readonly name: NodeName;
  readonly address: string;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #etcd: ChildProcess | undefined;

  constructor(parent: string, name: NodeName, owner: { readonly uid: number; readonly gid: number }) {
    this.name = name;
    this.address = addresses[name];
    this.#folder = join(parent, name);
    this.#environment = environmentOf(name);
    mkdirSync(this.#folder);
    for (const part of ['lib', 'run', 'etcd']) {
      mkdirSync(join(this.#folder, part));
      chownSync(join(this.#folder, part), owner.uid, owner.gid);
    }
    const certificates = join(this.#folder, 'tls');
    renameSync(join(parent, 'tls', name), certificates);
    for (const file of readdirSync(certificates)) chownSync(join(certificates, file), owner.uid, owner.gid);
    writeFileSync(join(this.#folder, 'patroni.yml'), deployed('patroni.yml'));
  }

  /** Creates the certificates of all nodes, which each takes from there. */
  static createCertificates(parent: string): void {
    const folder = join(parent, 'tls');
    mkdirSync(folder);
    execFileSync('sh', ['-c', deployed('certificates.sh')], { cwd: folder, stdio: 'ignore' });
  }

  get log(): string {
    const file = join(this.#folder, 'patroni.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  startEtcd(): void {
    // Debian's etcd is not tested by its authors on every architecture, and wants this said.
    const more = { ETCD_UNSUPPORTED_ARCH: process.arch, ETCD_LOGGER: 'zap', ETCD_LOG_LEVEL: 'error' };
    this.#etcd = this.#start('etcd', ['etcd'], { ...readEnvironment(deployed('etcd.env')), ...more });
  }

  /** Has etcd want passwords, once all members have started. */
  async createEtcdUsers(): Promise<void> {
    const created = this.#start('etcd-users', ['sh', '-c', deployed('etcd-users.sh')], { ETCD_ROOT_PASSWORD: 'root' });
    const [code] = await once(created, 'exit');
    if (code !== 0) throw new Error(`etcd-users.sh ended with status ${code}`);
  }

  startPatroni(): void {
    this.#start('patroni', ['patroni', join(this.#folder, 'patroni.yml')], {});
  }

  /** SIGKILL. */
  async killEtcd(): Promise<void> {
    const child = this.#etcd;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** SIGKILL to Patroni and to every process of its PostgreSQL. */
  async killPatroni(): Promise<void> {
    for (let left = this.#processes(); left.length > 0; left = this.#processes()) {
      for (const pid of left) tryKill(pid);
      await sleep(10);
    }
  }

  /** Runs one statement as the superuser, on a connection of its own, from the client's side. */
  async query(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({
      ...{ host: this.address, port: 5432, database, ...superuser },
      ...{ connectionTimeoutMillis: 5_000, query_timeout: 10_000 },
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } finally {
      // An address that is cut off does not close a connection either.
      void client.end().catch(() => {});
    }
  }

  /** A request to Patroni's REST API; undefined if there is no response. */
  async rest(path: string, method = 'GET', body?: object): Promise<{ status: number; text: string } | undefined> {
    const { PATRONI_RESTAPI_USERNAME: name, PATRONI_RESTAPI_PASSWORD: password } = this.#environment;
    const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    try {
      const response = await fetch(`http://${this.address}:8008${path}`, {
        ...{ method, headers: { authorization }, signal: AbortSignal.timeout(method === 'GET' ? 1_000 : 60_000) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      return undefined;
    }
  }

  /** What Patroni says of its PostgreSQL. */
  async state(): Promise<MemberState | undefined> {
    const reply = await this.rest('/patroni');
    return reply && JSON.parse(reply.text);
  }

  /** The lines of a query on the database of the service, also on a node that is cut off, or whose server was killed. */
  async readLines(query: string): Promise<readonly string[]> {
    // A server that was killed is not started again: in this mode it recovers, and takes no connections.
    const server =
      this.#processes().length === 0
        ? ['postgres', '--single', '-D', dataFolder, 'carte']
        : ['psql', '--quiet', `host=${this.address} user=postgres dbname=carte`];
    const file = join(this.#folder, 'lib', 'lines');
    rmSync(file, { force: true });
    // Patroni restarts a server that it has demoted.
    for (let tries = 0; !existsSync(file) && tries < 300; tries++) {
      await this.#run(server, `copy (${query}) to '/var/lib/postgresql/lines'\n`);
      await sleep(200);
    }
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  }

  /** The transactions that were committed on a timeline from a position on, as its WAL has them. */
  async committedFrom(timeline: number, lsn: string): Promise<ReadonlySet<string>> {
    const wal = join(dataFolder, 'pg_wal');
    const options = [`--path=${wal}`, `--timeline=${timeline}`, `--start=${lsn}`, '--rmgr=Transaction'];
    // It fails where the WAL ends.
    const printed = await this.#run(['pg_waldump', ...options]);
    return new Set([...printed.matchAll(/tx:\s+(\d+),.*desc: COMMIT /g)].map(([, xid = '']) => xid));
  }

  /** All but etcd. */
  #processes(): readonly number[] {
    return processesOf(this.name).filter(pid => pid !== this.#etcd?.pid);
  }

  /** Runs a program of PostgreSQL on the node, and returns its output whatever its status. */
  async #run([program = '', ...args]: readonly string[], input = ''): Promise<string> {
    const [file = '', ...rest] = this.#command([join(binaries, program), ...args]);
    const child = spawn(file, rest, { env: { ...process.env, PGPASSWORD: superuser.password }, cwd: '/' });
    child.stdin.end(input);
    child.stderr.resume();
    return text(child.stdout);
  }

  #command(command: readonly string[]): readonly string[] {
    return ['ip', 'netns', 'exec', this.name, 'sh', '-c', onOwnFiles, this.#folder, ...command];
  }

  #start(name: string, command: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const [file, ...args] = this.#command(command);
    return spawn(file ?? '', args, {
      ...{ env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...this.#environment, ...env } },
      ...{ cwd: '/', stdio: ['ignore', log, log] },
    });
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited meanwhile.
  }
}
