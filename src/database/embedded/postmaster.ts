import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DataDirectory, ifMissing, port } from './data-directory.ts';
import { commandAs, type ServerUser } from './unprivileged-user.ts';

/** The contents of `postmaster.pid`, which outlives a server that was killed. */
export interface PidFile {
  readonly pid: number;
  /** Undefined until the server listens. */
  readonly socketDirectory: string | undefined;
}

export type Settings = Readonly<Record<string, string>>;

const defaultSettings: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function readPidFile(directory: DataDirectory): Promise<PidFile | undefined> {
  const text = await readFile(join(directory.cluster, 'postmaster.pid'), 'utf8').catch(ifMissing(''));
  // The server may be writing it: what follows the last line break is the start of a line.
  const lines = text.split('\n').slice(0, -1);
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, socketDirectory: lines[4] || undefined } : undefined;
}

/** Whether the process is this cluster's server: after a crash the pid may belong to another process, or to a zombie. */
export async function isServerProcess(pid: number, directory: DataDirectory): Promise<boolean> {
  if (process.platform === 'linux') {
    // An unreadable command line belongs to another user's process.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.split('\0').includes(directory.cluster);
  }
  const command = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return command.then(
    ({ stdout }) => stdout.includes(directory.cluster),
    () => false,
  );
}

interface SpawnOptions {
  readonly postgres: string;
  readonly user: ServerUser;
  readonly socketDirectory: string;
  readonly settings: Settings;
  /** The pid of the pid file, where it is known not to be the server's. */
  readonly stalePid: number | undefined;
}

/** Spawns the server in a session of its own, so that neither Ctrl-C nor closing the terminal signals it. */
export async function spawnPostmaster(directory: DataDirectory, options: SpawnOptions): Promise<ChildProcess> {
  const { postgres, user, socketDirectory, settings, stalePid } = options;
  const command = commandAs(user, postgres, [
    ...['-D', directory.cluster, '-p', String(port)],
    ...Object.entries({ ...defaultSettings, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    // A list of directories: quoted, so that a comma is part of the name.
    ...['-c', `unix_socket_directories="${socketDirectory.replaceAll('"', '""')}"`],
  ]);
  // PostgreSQL does not take a process with this pid for a running server, unless old backends hold shared memory too.
  const staleEnv = stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) };
  const env = { ...command.options.env, ...staleEnv };
  const log = await open(directory.log, 'a', 0o600);
  try {
    await log.chown(user.uid, user.gid);
    const stdio = ['ignore' as const, log.fd, log.fd];
    const server = spawn(command.file, command.args, { ...command.options, env, detached: true, stdio });
    await once(server, 'spawn');
    server.unref();
    return server;
  } finally {
    await log.close();
  }
}

/** The size of the server's log in bytes. */
export async function readLogSize(directory: DataDirectory): Promise<number> {
  const found = await stat(directory.log).catch(ifMissing(undefined));
  return found?.size ?? 0;
}

export async function readLog(directory: DataDirectory, start: number): Promise<string> {
  return (await readFile(directory.log).catch(ifMissing(Buffer.of()))).subarray(start).toString('utf8');
}

/** The path and the last lines of the log, for an error message. */
export async function quoteLog(directory: DataDirectory): Promise<string> {
  const lines = (await readLog(directory, 0)).trimEnd().split('\n').slice(-8);
  return `its log ${directory.log} ends with\n${lines.map(line => `  ${line}`).join('\n')}`;
}
