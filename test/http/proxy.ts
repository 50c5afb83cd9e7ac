import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { inject, onTestFinished } from 'vitest';

export interface Proxy {
  readonly port: number;
  /** Connections stay open and new ones are accepted, but no data passes. */
  hold(): void;
  resume(): void;
  /** Connections are closed, and new ones refused, until `open`. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

/** A TCP proxy to the tests' database server that can fail. */
export async function startProxy(): Promise<Proxy> {
  const { host, port: databasePort } = inject('cluster');
  const pairs = new Set<readonly [Socket, Socket]>();
  let isHeld = false;
  const server = createServer(caller => {
    const pair = [caller, connect(`${host}/.s.PGSQL.${databasePort}`)] as const;
    const [, database] = pair;
    pairs.add(pair);
    if (!isHeld) join(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        caller.destroy();
        database.destroy();
      });
    }
  });
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = () => {
    for (const [caller] of pairs) caller.destroy();
  };
  await open(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    port,
    hold() {
      isHeld = true;
      for (const [caller, database] of pairs) {
        caller.unpipe(database).pause();
        database.unpipe(caller).pause();
      }
    },
    resume() {
      isHeld = false;
      for (const pair of pairs) join(pair);
    },
    async shut() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
    open: () => open(port),
  };
}

function join([caller, database]: readonly [Socket, Socket]): void {
  caller.pipe(database);
  database.pipe(caller);
}
