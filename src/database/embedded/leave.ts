import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import type { DataFolder } from './folder.ts';
import { type Lease, resign } from './lease.ts';
import { quoteLog } from './log.ts';
import { isServer } from './postmaster.ts';
import { removeSocketFolder } from './socket.ts';

const patience = 60_000;
const pause = 10;

/** Gives the lease up and, where it was the last one, waits until the server is down. */
export async function leave(folder: DataFolder, lease: Lease): Promise<void> {
  const { client, pid, socketFolder } = lease;
  if (await isLast(folder, lease)) {
    // The lease stays open, so that nobody joins before the server has heard of its end.
    process.kill(pid, 'SIGINT');
    await waitForEnd(folder, pid);
    await removeSocketFolder(socketFolder);
  }
  await client.end();
}

async function isLast(folder: DataFolder, lease: Lease): Promise<boolean> {
  try {
    const last = await resign(lease);
    // The number means another process here where the server runs in another container.
    return last && (await isServer(lease.pid, folder));
  } catch (error) {
    if (await isServer(lease.pid, folder)) throw error;
    return false;
  }
}

async function waitForEnd(folder: DataFolder, pid: number): Promise<void> {
  const deadline = Date.now() + patience;
  while (await isServer(pid, folder)) {
    if (Date.now() > deadline) {
      throw new OperatorError(
        `PostgreSQL in "${folder.cluster}" (process ${pid}) did not stop within ${patience / 1_000} seconds; ${await quoteLog(folder)}`,
      );
    }
    await sleep(pause);
  }
}
