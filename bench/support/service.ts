import type { Database } from '../../support/database.ts';
import { runProgram } from '../../support/program.ts';
import { createKey, importDocuments } from '../../support/servers.ts';
import { type Client, createClient } from './client.ts';
import type { Watched } from './meter.ts';

export interface Service extends Watched {
  readonly url: string;
  readonly client: Client;
  readonly query: Database['query'];
  /** Starts another process of the service on the same database. */
  readonly startAnother: () => Promise<Client>;
}

/** Runs a task with its own server and a database that has stores only. */
export async function withService(
  { storeIds, connections }: { readonly storeIds: readonly string[]; readonly connections: number },
  work: (service: Service) => Promise<void>,
): Promise<void> {
  await runProgram(async program => {
    const { env, query, pid: databasePid } = await program.startDatabase();
    const stores = storeIds.map(id => ({ id, name: {} }));
    await importDocuments('stores', stores, env);
    const key = await createKey(env, '--write');
    const start = async () => {
      const server = await program.startServer(env);
      const client = createClient(server.url, key, connections);
      program.atEnd(() => client.close());
      return { server, client };
    };
    const { server, client } = await start();
    const startAnother = async () => (await start()).client;
    await work({ url: server.url, client, query, startAnother, serverPid: server.child.pid, databasePid });
  });
}
