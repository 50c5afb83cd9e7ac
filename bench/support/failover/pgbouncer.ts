import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../test/support/failover/postgres.ts';

/** A PgBouncer in transaction mode before a local port; the program `pgbouncer` must be installed. */
export async function startPgBouncer(target: number) {
  const folder = mkdtempSync(join(tmpdir(), 'carte-pgbouncer-'));
  const port = await freePort();
  writeFileSync(join(folder, 'users'), '"postgres" ""\n');
  writeFileSync(join(folder, 'pgbouncer.ini'), settings(folder, port, target));
  const [file = '', ...args] = [
    ...(process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1', '--map-group=1'] : []),
    ...['pgbouncer', '-q', join(folder, 'pgbouncer.ini')],
  ];
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `postgresql://postgres@127.0.0.1:${port}/carte`;
  await untilReady(url, child);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settings(folder: string, port: number, target: number): string {
  return `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 10
max_client_conn = 500
server_login_retry = 1
server_connect_timeout = 2
query_wait_timeout = 5
log_connections = 0
log_disconnections = 0
log_pooler_errors = 0
`;
}

async function untilReady(connectionString: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('PgBouncer ended');
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
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
