import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Config } from '../config.ts';
import { cannotListen } from '../server/port.ts';
import type { Worker } from './worker-process.ts';

/** Where callers come in: the one place that listens, and shows each to a worker. */
export interface Listener {
  readonly url: string;
  /** From now on the worker gets connections. */
  admit(worker: Worker): void;
  /** From now on the worker gets no more. */
  dismiss(worker: Worker): void;
  /** Connections that a worker has not taken go to another one. */
  take(sockets: readonly Socket[]): void;
  /** From now on callers are refused. */
  close(): void;
}

/** A worker with so many connections that it has not taken is stuck; the others do without it. */
const mostUntaken = 64;

/**
 * Each connection goes to the worker that has the fewest. Workers that accept for themselves share unevenly, since the
 * first to wake up takes most of a burst; and `node:cluster` forgets what it has handed to a worker that dies.
 */
export async function openListener({ host, port, http }: Pick<Config, 'host' | 'port' | 'http'>): Promise<Listener> {
  const workers = new Set<Worker>();
  const waiting: Socket[] = [];

  function show(socket: Socket): void {
    const ready = [...workers].filter(worker => worker.untaken < mostUntaken);
    const [first, ...others] = ready.length > 0 ? ready : workers;
    if (!first) return void waiting.push(socket);
    others.reduce((best, worker) => (worker.connections < best.connections ? worker : best), first).take(socket);
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, socket => {
    socket.on('error', () => {});
    const inside = [...workers].reduce((sum, { connections }) => sum + connections, waiting.length);
    if (inside < http.maxConnections) show(socket);
    else socket.destroy();
  });
  server.listen({ host, port });
  await once(server, 'listening').catch(error => {
    throw cannotListen(error, host, port);
  });
  return {
    url: urlOf(server.address()),
    admit(worker) {
      workers.add(worker);
      for (const socket of waiting.splice(0)) show(socket);
    },
    dismiss: worker => void workers.delete(worker),
    take: sockets => sockets.forEach(show),
    close() {
      server.close();
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') return String(address);
  const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = reachable[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
