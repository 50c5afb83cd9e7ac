import { setTimeout as sleep } from 'node:timers/promises';
import { clusterVersion } from './cluster.ts';
import { enter } from './enter.ts';
import type { DataFolder } from './folder.ts';
import type { Lease } from './lease.ts';
import { leave } from './leave.ts';
import type { Settings } from './postmaster.ts';

const pause = 1_000;

/**
 * Keeps a lease until it is released. A server that crashed has forgotten its leases: without a new one, the next
 * program to leave would take itself for the last and stop the server under this one.
 */
export function hold(folder: DataFolder, settings: Settings, first: Lease): () => Promise<void> {
  let lease = first;
  let released = false;
  let renewal = Promise.resolve();

  function watch(): void {
    lease.client.once('end', () => {
      if (!released) renewal = renew();
    });
  }

  async function renew(): Promise<void> {
    while (!released) {
      try {
        // Where the data itself is gone there is nothing to come back to.
        if ((await clusterVersion(folder)) === undefined) return;
        lease = await enter(folder, settings);
        return watch();
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
        await sleep(pause);
      }
    }
  }

  watch();
  return async () => {
    released = true;
    await renewal;
    await leave(folder, lease);
  };
}
