import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { clusterVersion, makeCluster, removeAbandoned } from './cluster.ts';
import { type DataFolder, ownerOf } from './folder.ts';
import { join, type Lease } from './lease.ts';
import { logLength, quoteLog, readLog } from './log.ts';
import { isServer, launch, type Postmaster, readPostmaster, type Settings } from './postmaster.ts';
import { checkPrivate, makeSocketFolder, removeSocketFolder } from './socket.ts';

interface Attempt {
  readonly server: ChildProcess;
  readonly socketFolder: string;
  readonly logStart: number;
}

/** Recovery after a crash takes its time. */
const patience = 120_000;
const pause = 20;
const pauseAfterRefusal = 250;
/** Another server has or had the folder a moment ago, or its socket's folder, or the backends of a killed one live on. */
const passingRefusal = /lock file .*(already exists|is empty|No such file)|shared memory block .* is still in use/;

/** Joins the server of the folder, whoever started it, and starts it where none runs. */
export async function enter(folder: DataFolder, settings: Settings): Promise<Lease> {
  const deadline = Date.now() + patience;
  let attempt: Attempt | undefined;
  while (Date.now() < deadline) {
    const postmaster = await readPostmaster(folder);
    const lease = await joinRunning(folder, postmaster);
    if (lease) return lease;
    if (attempt && hasEnded(attempt.server)) {
      await checkRefusal(folder, attempt);
      attempt = undefined;
      await sleep(pauseAfterRefusal);
    } else if (!attempt && !(postmaster && (await isServer(postmaster.pid, folder)))) {
      attempt = await start(folder, settings, postmaster?.pid);
    }
    await sleep(pause);
  }
  throw new OperatorError(
    `PostgreSQL in "${folder.cluster}" was not ready within ${patience / 1_000} seconds; ${await quoteLog(folder)}`,
  );
}

async function joinRunning(folder: DataFolder, postmaster: Postmaster | undefined): Promise<Lease | undefined> {
  const owner = await ownerOf(folder.cluster);
  if (!owner || !postmaster?.socketFolder) return undefined;
  return (await checkPrivate(postmaster.socketFolder, owner)) ? join(postmaster.socketFolder) : undefined;
}

async function start(folder: DataFolder, settings: Settings, stale: number | undefined): Promise<Attempt> {
  const binaries = await findBinaries();
  const account = await chooseAccount(folder, binaries);
  await removeAbandoned(folder);
  const version = await clusterVersion(folder);
  if (version === undefined) {
    await makeCluster(folder, { binaries, account, sync: settings.fsync !== 'off' });
  } else if (version !== account.major) {
    throw new OperatorError(
      `"${folder.cluster}" holds data of PostgreSQL ${version}, and this is PostgreSQL ${account.major}: ` +
        'bring the data over with pg_dump or pg_upgrade, or set CARTE_DATA to another folder.',
    );
  }
  const socketFolder = await makeSocketFolder(folder, account);
  const logStart = await logLength(folder);
  const server = await launch(folder, { postgres: binaries.postgres, account, socketFolder, settings, stale });
  return { server, socketFolder, logStart };
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

async function checkRefusal(folder: DataFolder, { server, socketFolder, logStart }: Attempt): Promise<void> {
  // Another program was quicker to join the server started here, and stopped it when it left; or someone killed it.
  if (server.exitCode === 0 || server.signalCode === 'SIGKILL') return;
  if (passingRefusal.test(await readLog(folder, logStart))) return;
  await removeSocketFolder(socketFolder);
  throw new OperatorError(`PostgreSQL in "${folder.cluster}" did not start; ${await quoteLog(folder)}`);
}
