import { setTimeout as sleep } from 'node:timers/promises';
import { readClusterVersion } from './cluster.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { joinServer, leaveServer, type Settings } from './server.ts';
import { connectionTo, createDatabase, isTransient, type SessionLock } from './session-lock.ts';

export interface EmbeddedServer {
  /** Connection settings for `pg` and MikroORM: host is the socket's directory. */
  readonly connection: Readonly<ReturnType<typeof connectionTo>>;
  /** Leaves the server, and stops it if no other program uses it. */
  stop(): Promise<void>;
}

/**
 * Joins the PostgreSQL server of the data folder: the first program starts it, the last one stops it. The settings apply only to a
 * server that this call starts.
 */
export async function startEmbedded(options: {
  readonly dataFolder: string;
  /** Created unless it exists; `postgres` by default. */
  readonly database?: string;
  readonly settings?: Settings;
}): Promise<EmbeddedServer> {
  const { dataFolder, database = 'postgres', settings = {} } = options;
  const directory = await openDataDirectory(dataFolder);
  const lock = await joinDatabase(directory, database, settings);
  const release = keepLock(directory, settings, lock);
  let stopped: Promise<void> | undefined;
  return {
    connection: connectionTo(lock.socketDirectory, database),
    stop() {
      stopped ??= release();
      return stopped;
    },
  };
}

async function joinDatabase(directory: DataDirectory, database: string, settings: Settings): Promise<SessionLock> {
  const lock = await joinServer(directory, settings);
  try {
    await createDatabase(lock, database);
    return lock;
  } catch (error) {
    await leaveServer(directory, lock);
    if (!isTransient(error)) throw error;
    return joinDatabase(directory, database, settings);
  }
}

const retryDelayMs = 1_000;

/**
 * Reacquires the session lock after a crash of the server, which drops all locks: without it, the next program to leave would
 * consider itself the last one and stop the server. Returns the function that leaves the server.
 */
function keepLock(directory: DataDirectory, settings: Settings, first: SessionLock): () => Promise<void> {
  let lock = first;
  let isReleased = false;
  let reacquired = Promise.resolve();

  function watch(): void {
    lock.client.once('end', () => {
      if (!isReleased) reacquired = reacquire();
    });
  }

  async function reacquire(): Promise<void> {
    while (!isReleased) {
      try {
        // The data directory was deleted, so there is nothing to start again.
        if ((await readClusterVersion(directory)) === undefined) return;
        lock = await joinServer(directory, settings);
        return watch();
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
        await sleep(retryDelayMs);
      }
    }
  }

  watch();
  return async () => {
    isReleased = true;
    await reacquired;
    await leaveServer(directory, lock);
  };
}
