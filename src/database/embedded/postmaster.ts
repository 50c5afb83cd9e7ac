import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, invoke } from './account.ts';
import { ifAbsent } from './failure.ts';
import type { DataFolder } from './folder.ts';
import { port } from './socket.ts';

/** What the server, or one that was killed, has left in its lock file. */
export interface Postmaster {
  readonly pid: number;
  /** Absent until the server listens. */
  readonly socketFolder: string | undefined;
}

export type Settings = Readonly<Record<string, string>>;

const defaults: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function readPostmaster(folder: DataFolder): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder.cluster, 'postmaster.pid'), 'utf8').catch(ifAbsent(''));
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, socketFolder: lines[4] || undefined } : undefined;
}

/** A number alone proves nothing: after a crash it may be another program's, or a dead one's that nobody has buried. */
export async function isServer(pid: number, folder: DataFolder): Promise<boolean> {
  if (process.platform === 'linux') {
    // A process that hides its command line from us is another user's.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.split('\0').includes(folder.cluster);
  }
  const shown = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return shown.then(
    ({ stdout }) => stdout.includes(folder.cluster),
    () => false,
  );
}

interface Launch {
  readonly postgres: string;
  readonly account: Account;
  readonly socketFolder: string;
  readonly settings: Settings;
  /** The process in the lock file, where it is known not to be the server. */
  readonly stale: number | undefined;
}

/** Starts the server in a session of its own: neither Ctrl-C nor the end of the terminal reaches it. */
export async function launch(folder: DataFolder, { postgres, account, ...how }: Launch): Promise<ChildProcess> {
  const { file, args, options } = invoke(account, postgres, [
    ...['-D', folder.cluster, '-p', String(port)],
    ...Object.entries({ ...defaults, ...how.settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    // PostgreSQL reads a list here; in quotes a comma is part of the name.
    ...['-c', `unix_socket_directories="${how.socketFolder.replaceAll('"', '""')}"`],
  ]);
  // PostgreSQL does not take a process of this number for another server, unless old backends hold shared memory too.
  const env = how.stale === undefined ? options.env : { ...options.env, PG_GRANDPARENT_PID: String(how.stale) };
  const log = await open(folder.log, 'a', 0o600);
  try {
    await log.chown(account.uid, account.gid);
    const server = spawn(file, args, { ...options, env, detached: true, stdio: ['ignore', log.fd, log.fd] });
    await once(server, 'spawn');
    server.unref();
    return server;
  } finally {
    await log.close();
  }
}
