import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, readClusterVersion, removePartialClusters } from './cluster.ts';
import {
  checkSocketDirectory,
  createSocketDirectory,
  type DataDirectory,
  ownerOf,
  removeSocketDirectory,
} from './data-directory.ts';
import {
  isServerProcess,
  type PidFile,
  quoteLog,
  readLog,
  readLogSize,
  readPidFile,
  type Settings,
  spawnPostmaster,
} from './postmaster.ts';
import { acquireSharedLock, type SessionLock, tryExclusiveLock } from './session-lock.ts';
import { chooseServerUser } from './unprivileged-user.ts';

interface Attempt {
  readonly server: ChildProcess;
  readonly socketDirectory: string;
  readonly logStart: number;
}

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

async function joinRunning(directory: DataDirectory, pidFile: PidFile | undefined): Promise<SessionLock | undefined> {
  const owner = await ownerOf(directory.cluster);
  if (!owner || !pidFile?.socketDirectory) return undefined;
  const exists = await checkSocketDirectory(pidFile.socketDirectory, owner);
  return exists ? acquireSharedLock(pidFile.socketDirectory) : undefined;
}

async function startServer(
  directory: DataDirectory,
  settings: Settings,
  stalePid: number | undefined,
): Promise<Attempt> {
  const binaries = await findBinaries();
  const user = await chooseServerUser(directory, binaries);
  await removePartialClusters(directory);
  const version = await readClusterVersion(directory);
  if (version === undefined) {
    await createCluster(directory, { binaries, user, sync: settings.fsync !== 'off' });
  } else if (version !== user.majorVersion) {
    throw new OperatorError(
      `"${directory.cluster}" holds data of PostgreSQL ${version}, and this is PostgreSQL ${user.majorVersion}: ` +
        'migrate the data with pg_dump or pg_upgrade, or set CARTE_DATA to another folder.',
    );
  }
  const socketDirectory = await createSocketDirectory(directory, user);
  const logStart = await readLogSize(directory);
  const { postgres } = binaries;
  const server = await spawnPostmaster(directory, { postgres, user, socketDirectory, settings, stalePid });
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
