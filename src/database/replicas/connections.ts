import pg from 'pg';
import { watchStatements } from '../statements.ts';
import { typesBefore } from '../types.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a statement of a request may take. */
  readonly statementSeconds: number;
  /** Whether connections prepare statements. */
  readonly prepare: boolean;
}

/** The connections to a replica, for as long as it is of use. */
export interface Connections {
  readonly reads: pg.Pool;
  /** By itself, so that however much is read, it is soon seen whether the replica answers. */
  readonly probe: pg.Pool;
  /** Ends them all at once; whoever waits for an answer is told that there will be none. */
  cut(): void;
}

/** How long a connection may take, be it a free one or a new one: the primary is there as well. */
const connectionTimeoutMillis = 1_000;

/** Connects when it is first asked. */
export function connectTo({ url, poolSize, statementSeconds, prepare }: ConnectionOptions): Connections {
  const clients = new Set<unknown>();
  const [reads, probe] = [poolSize, 1].map(max => {
    const settings = {
      connectionString: url,
      application_name: 'carte',
      connectionTimeoutMillis,
      keepAlive: true,
      types: typesBefore(),
    };
    const pool = new pg.Pool({ ...settings, max });
    watchStatements(pool, { seconds: statementSeconds, prepare });
    // What went wrong also fails whoever waits; without a listener it would end the program.
    pool.on('error', () => {});
    pool.on('connect', client => void clients.add(client.on('error', () => {})));
    pool.on('remove', client => void clients.delete(client));
    return pool;
  });
  if (!reads || !probe) throw new Error('There are two pools');
  let isCut = false;
  return {
    reads,
    probe,
    cut() {
      if (isCut) return;
      isCut = true;
      for (const pool of [reads, probe]) void pool.end();
      for (const client of clients) if (client instanceof pg.Client) void client.end();
    },
  };
}
