import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandAs, currentServerUser } from '@carte/embedded-postgres/unprivileged-user';
import pg from 'pg';

interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

const port = 6432;

/** A PgBouncer in front of a server, in the mode that keeps least: every transaction may find another connection. */
export async function startPgBouncer(server: Connection, more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'carte-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users'), `"${server.user}" ""\n`);
  const added = Object.entries(more).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(file, settings(server, folder) + added.join(''));
  // Like PostgreSQL it does not run as root.
  const program = commandAs(currentServerUser(), 'pgbouncer', ['-q', file]);
  const child = spawn(program.file, program.args, { env: process.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const connection = { ...server, host: folder, port };
  await untilReached(connection, child);
  return {
    connection,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Few connections, so that callers must share them. PgBouncer has the last setting since 1.21. */
function settings({ host, port: serverPort }: Connection, folder: string): string {
  return `[databases]
* = host=${host} port=${serverPort}
[pgbouncer]
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 2000
server_idle_timeout = 5
log_connections = 0
log_disconnections = 0
${isSince(21) ? 'max_prepared_statements = 0' : ''}
`;
}

/** Whether the installed PgBouncer is 1.`least` or newer. */
function isSince(least: number): boolean {
  const [, major = 0, minor = 0] =
    /(\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 1 || Number(minor) >= least;
}

/** Whether the tests run through a PgBouncer that a cancel request crashes if its connection ends at once (docs/operating.md). */
export const isCrashedByCancel = process.env.CARTE_TEST_THROUGH === 'pgbouncer' && !isSince(20);

async function untilReached(connection: Connection, child: ChildProcess): Promise<void> {
  let complaint = '';
  child.stderr?.on('data', chunk => (complaint += chunk));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${complaint}`);
    const client = new pg.Client(connection);
    try {
      await client.connect();
      return;
    } catch {
      await sleep(20);
    } finally {
      await client.end();
    }
  }
}
