import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchDatabase, startDatabase } from '../../support/database.ts';
import { carte, startServer, stopServer } from '../../support/servers.ts';
import { type Client, createClient } from './client.ts';
import type { Watched } from './meter.ts';

export interface Service extends Watched {
  readonly url: string;
  readonly client: Client;
  readonly query: BenchDatabase['query'];
  /** Starts another process of the service on the same database. */
  readonly startAnother: () => Promise<Client>;
}

/** Runs a task with its own server and a database that has stores only, and stops both in any case. */
export async function withService(
  { storeIds, connections }: { readonly storeIds: readonly string[]; readonly connections: number },
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'carte-bench-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const database = await startDatabase(folder);
    ends.push(() => database.stop());
    await database.importDocuments(
      'stores',
      storeIds.map(id => `${JSON.stringify({ id, name: {} })}\n`),
    );
    const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], database.env);
    const start = async () => {
      const server = await startServer(database.env);
      ends.push(() => stopServer(server));
      const client = createClient(server.url, key, connections);
      ends.push(() => client.close());
      return { server, client };
    };
    const { server, client } = await start();
    const startAnother = async () => (await start()).client;
    const pids = { serverPid: server.child.pid, databasePid: database.pid };
    await work({ url: server.url, client, query: database.query, startAnother, ...pids });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
