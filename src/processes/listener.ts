import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Config } from '../config.ts';
import { listen } from '../server/port.ts';
import type { Worker } from './worker-handle.ts';

export type Listener = Awaited<ReturnType<typeof openListener>>;

/** A worker with so many unaccepted connections is stuck, and gets no more while another one does not. */
const maxUnaccepted = 64;

/**
 * Accepts connections on the port, and hands each to the worker with the fewest. Workers that accept from a shared socket share unevenly, since the first
 * to wake up takes most of a burst; and `node:cluster` loses connections sent to a worker that dies (docs/decisions/0007).
 */
export async function openListener({ host, port, http }: Pick<Config, 'host' | 'port' | 'http'>) {
  const workers = new Set<Worker>();
  const waiting: Socket[] = [];

  function assign(socket: Socket): void {
    const responsive = [...workers].filter(worker => worker.unaccepted.size < maxUnaccepted);
    const [first, ...others] = responsive.length > 0 ? responsive : workers;
    if (!first) return void waiting.push(socket);
    const leastLoaded = others.reduce((best, worker) => (worker.connections < best.connections ? worker : best), first);
    leastLoaded.sendConnection(socket);
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, socket => {
    socket.on('error', () => {});
    const open = [...workers].reduce((sum, { connections }) => sum + connections, waiting.length);
    if (open < http.maxConnections) assign(socket);
    else socket.destroy();
  });
  await listen(server, host, port);
  return {
    url: urlOf(server.address() as AddressInfo),
    add(worker: Worker): void {
      workers.add(worker);
      waiting.splice(0).forEach(assign);
    },
    /** Sends the worker no more connections. */
    remove: (worker: Worker): void => void workers.delete(worker),
    /** Hands connections that a worker has not accepted to another one. */
    reassign: ({ unaccepted }: Worker): void => unaccepted.forEach(assign),
    close(): void {
      server.close();
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}

function urlOf({ address, port }: AddressInfo): string {
  const loopbacks: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = loopbacks[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
