import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@carte/embedded-postgres';
import pg from 'pg';

/** The database of the service, with fault injection. */
export interface Postgres extends Pick<EmbeddedServer, 'connection'> {
  /** `pg_ctl restart -m immediate`: stops without notice to its clients, and restarts. */
  stopImmediately(): Promise<void>;
  /** `kill -9` of the postmaster. */
  kill(): Promise<void>;
  terminateBackends(): Promise<void>;
  /** Sends SIGSTOP to all of its processes, and SIGCONT after a while. */
  freeze(ms: number): Promise<void>;
  leave(): Promise<void>;
}

export async function joinPostgres(folder: string): Promise<Postgres> {
  const server = await startEmbedded({ dataFolder: folder });
  const postmaster = () => Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    connection: server.connection,
    stopImmediately: async () => void process.kill(postmaster(), 'SIGQUIT'),
    kill: async () => void process.kill(postmaster(), 'SIGKILL'),
    async terminateBackends() {
      const client = new pg.Client(server.connection);
      await client.connect();
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'carte' and pid <> pg_backend_pid()",
      );
      await client.end();
    },
    async freeze(ms) {
      const processes = [postmaster(), ...childrenOf(postmaster())];
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      await new Promise(resolve => setTimeout(resolve, ms));
      for (const pid of processes) process.kill(pid, 'SIGCONT');
    },
    leave: () => server.stop(),
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has exited meanwhile.
    return undefined;
  }
}
