import { enter } from './embedded/enter.ts';
import { type DataFolder, openFolder } from './embedded/folder.ts';
import { hold } from './embedded/hold.ts';
import { connectionTo, createDatabase, isPassing, type Lease } from './embedded/lease.ts';
import { leave } from './embedded/leave.ts';
import type { Settings } from './embedded/postmaster.ts';

export interface EmbeddedServer {
  /** Connection settings for `pg` and MikroORM: host is the socket folder. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Leaves the server; the last one out stops it. */
  stop(): Promise<void>;
}

/**
 * Joins the PostgreSQL server of the data folder: its first user starts it, its last one stops it. The settings count
 * for a server that is started here; one that runs already keeps its own.
 */
export async function startEmbedded(options: {
  readonly dataFolder: string;
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<EmbeddedServer> {
  const { dataFolder, settings = {} } = options;
  const folder = await openFolder(dataFolder);
  const lease = await enterDatabase(folder, settings);
  const release = hold(folder, settings, lease);
  let left: Promise<void> | undefined;
  return {
    connection: connectionTo(lease.socketFolder),
    stop() {
      left ??= release();
      return left;
    },
  };
}

async function enterDatabase(folder: DataFolder, settings: Settings): Promise<Lease> {
  const lease = await enter(folder, settings);
  try {
    await createDatabase(lease);
    return lease;
  } catch (error) {
    await leave(folder, lease);
    if (!isPassing(error)) throw error;
    return enterDatabase(folder, settings);
  }
}
