import { PostgresNode } from './failover/postgres.ts';

const unsafe = { fsync: 'off', full_page_writes: 'off' };

/** A primary and a standby that follows it. */
export interface Pair {
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** The data folders of both. */
  readonly folders: { readonly primary: string; readonly standby: string };
  startStandby(): Promise<void>;
  stopStandby(): Promise<void>;
  /** Runs one statement on a connection of its own. */
  onPrimary(statement: string): Promise<readonly Record<string, unknown>[]>;
  onStandby(statement: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startPair(folder: string, settings: Readonly<Record<string, string>> = unsafe): Promise<Pair> {
  const primary = await PostgresNode.create(folder, 'primary', settings);
  const standby = await primary.clone(folder, 'standby');
  await standby.start(settings);
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    folders: { primary: primary.folder, standby: standby.folder },
    startStandby: () => standby.start(settings),
    stopStandby: () => standby.stop(),
    onPrimary: statement => primary.query(statement),
    onStandby: statement => standby.query(statement),
    async stop() {
      await standby.stop();
      await primary.stop();
    },
  };
}
