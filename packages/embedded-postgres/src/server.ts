import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '@carte/base/errors';
import { findBinaries } from './binaries.ts';
import { createCluster, readClusterVersion, removePartialClusters } from './cluster.ts';
import {
  checkSocketDirectory,
  createSocketDirectory,
  type DataDirectory,
  ignoring,
  ownerOf,
  port,
  removeSocketDirectory,
} from './data-directory.ts';
import { acquireSharedLock, type SessionLock, tryExclusiveLock } from './session-lock.ts';
import { chooseServerUser, commandAs } from './unprivileged-user.ts';

type Attempt = Awaited<ReturnType<typeof startServer>>;

/** Long, for crash recovery. */
const startTimeoutMs = 120_000;
const startPollMs = 20;
const startRetryDelayMs = 250;
/** Another server has, or just had, the cluster or the socket directory, or backends of a killed one are still running. */
const transientStartFailure =
  /lock file .*(already exists|is empty|No such file)|shared memory block .* is still in use/;

/** Takes a session lock in the cluster's server, and starts the server if none is running. */
export async function joinServer(directory: DataDirectory, settings: Settings): Promise<SessionLock> {
  const deadline = Date.now() + startTimeoutMs;
  let attempt: Attempt | undefined;
  while (Date.now() < deadline) {
    const pidFile = await readPidFile(directory);
    const lock = await joinRunning(directory, pidFile);
    if (lock) return lock;
    if (attempt && hasExited(attempt.server)) {
      await checkStartFailure(directory, attempt);
      attempt = undefined;
      await sleep(startRetryDelayMs);
    } else if (!attempt && !(pidFile && (await isServerProcess(pidFile.pid, directory)))) {
      attempt = await startServer(directory, settings, pidFile?.pid);
    }
    await sleep(startPollMs);
  }
  throw new OperatorError(
    `PostgreSQL in "${directory.cluster}" was not ready within ${startTimeoutMs / 1_000} seconds; ${await quoteLog(directory)}`,
  );
}

async function joinRunning(directory: DataDirectory, pidFile: PidFile): Promise<SessionLock | undefined> {
  const owner = await ownerOf(directory.cluster);
  if (!owner || !pidFile?.socketDirectory) return undefined;
  const exists = await checkSocketDirectory(pidFile.socketDirectory, owner);
  return exists ? acquireSharedLock(pidFile.socketDirectory) : undefined;
}

/** `stalePid` is the pid of the pid file, where it is known not to be the server's. */
async function startServer(directory: DataDirectory, settings: Settings, stalePid: number | undefined) {
  const { initdb, postgres } = await findBinaries();
  const user = await chooseServerUser(directory, postgres);
  await removePartialClusters(directory);
  const version = await readClusterVersion(directory);
  if (version === undefined) {
    await createCluster(directory, { initdb, user, sync: settings.fsync !== 'off' });
  } else if (version !== user.majorVersion) {
    throw new OperatorError(
      `"${directory.cluster}" holds data of PostgreSQL ${version}, and this is PostgreSQL ${user.majorVersion}: ` +
        'migrate the data with pg_dump or pg_upgrade, or choose another data folder.',
    );
  }
  const socketDirectory = await createSocketDirectory(directory, user);
  const command = commandAs(user, postgres, [
    ...['-D', directory.cluster, '-p', String(port)],
    ...Object.entries({ ...defaultSettings, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    // A list of directories: quoted, so that a comma is part of the name.
    ...['-c', `unix_socket_directories="${socketDirectory.replaceAll('"', '""')}"`],
  ]);
  // PostgreSQL does not take a process with this pid for a running server, unless old backends hold shared memory too.
  const staleEnv = stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) };
  await using log = await open(directory.log, 'a', 0o600);
  const { size: logStart } = await log.stat();
  await log.chown(user.uid, user.gid);
  const server = spawn(command.file, command.args, {
    ...command.options,
    env: { ...command.options.env, ...staleEnv },
    // A session of its own, so that neither Ctrl-C nor closing the terminal signals it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(server, 'spawn');
  server.unref();
  return { server, socketDirectory, logStart };
}

function hasExited(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

async function checkStartFailure(directory: DataDirectory, attempt: Attempt): Promise<void> {
  const { server, socketDirectory, logStart } = attempt;
  // Another program joined the server started here and, as the last one, stopped it before this one joined; or it was killed.
  if (server.exitCode === 0 || server.signalCode === 'SIGKILL') return;
  if (transientStartFailure.test(await readLog(directory, logStart))) return;
  await removeSocketDirectory(socketDirectory);
  throw new OperatorError(`PostgreSQL in "${directory.cluster}" did not start; ${await quoteLog(directory)}`);
}

const stopTimeoutMs = 60_000;
const stopPollMs = 10;

/** Releases the session lock and, if it was the last one, stops the server and waits for its end. */
export async function leaveServer(directory: DataDirectory, lock: SessionLock): Promise<void> {
  const { client, pid, socketDirectory } = lock;
  if (await isLast(directory, lock)) {
    // The connection keeps the exclusive lock, so that no program joins before the server has received the signal.
    process.kill(pid, 'SIGINT');
    await waitForExit(directory, pid);
    await removeSocketDirectory(socketDirectory);
  }
  await client.end();
}

async function isLast(directory: DataDirectory, lock: SessionLock): Promise<boolean> {
  try {
    const last = await tryExclusiveLock(lock);
    // In another container's pid namespace the pid means another process.
    return last && (await isServerProcess(lock.pid, directory));
  } catch (error) {
    if (await isServerProcess(lock.pid, directory)) throw error;
    return false;
  }
}

async function waitForExit(directory: DataDirectory, pid: number): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  while (await isServerProcess(pid, directory)) {
    if (Date.now() > deadline) {
      throw new OperatorError(
        `PostgreSQL in "${directory.cluster}" (process ${pid}) did not stop within ${stopTimeoutMs / 1_000} seconds; ${await quoteLog(directory)}`,
      );
    }
    await sleep(stopPollMs);
  }
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

type PidFile = Awaited<ReturnType<typeof readPidFile>>;

/** Reads `postmaster.pid`, which outlives a server that was killed; it has no socket directory until the server listens. */
export async function readPidFile(directory: DataDirectory) {
  const text = await readFile(join(directory.cluster, 'postmaster.pid'), 'utf8').catch(ignoring('ENOENT'));
  // The server may be writing it: what follows the last line break is the start of a line.
  const lines = text?.split('\n').slice(0, -1) ?? [];
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, socketDirectory: lines[4] || undefined } : undefined;
}

/** Whether the process is this cluster's server: after a crash the pid may belong to another process, or to a zombie. */
async function isServerProcess(pid: number, directory: DataDirectory): Promise<boolean> {
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

async function readLog(directory: DataDirectory, start: number): Promise<string> {
  const bytes = await readFile(directory.log).catch(ignoring('ENOENT'));
  return bytes?.subarray(start).toString('utf8') ?? '';
}

/** The path and the last lines of the log, for an error message. */
async function quoteLog(directory: DataDirectory): Promise<string> {
  const lines = (await readLog(directory, 0)).trimEnd().split('\n').slice(-8);
  return `its log ${directory.log} ends with\n${lines.map(line => `  ${line}`).join('\n')}`;
}
