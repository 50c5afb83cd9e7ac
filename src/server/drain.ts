import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { pendingResponse } from './protocol.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly drain: ReturnType<typeof createDrain>;
  }
}

const sweepIntervalMs = 50;
/**
 * A client on a keep-alive connection may have sent its next request already, but one that is idle for a second has not. Sweeps
 * are counted rather than time: while the process gets no CPU, time passes but nothing is read.
 */
const maxIdleSweeps = 1_000 / sweepIntervalMs;

/** Decorates the server with `drain`. */
export const drain = fp(async (app: FastifyInstance) => void app.decorate('drain', createDrain(app)), {
  name: 'drain',
});

/** Closes keep-alive connections without dropping a request, which Fastify's `close` does not (docs/decisions/0009). */
function createDrain(app: FastifyInstance) {
  const server: Server = app.server;
  /** Idle sweeps are consecutive ones without new bytes or a pending response. */
  const connections = new Map<Socket, { bytesRead: number; idleSweeps: number }>();
  const listeners: (() => void)[] = [];
  const endStreams = () => {
    for (const listener of listeners) listener();
  };
  app.addHook('preClose', async () => endStreams());

  server.on('connection', socket => {
    connections.set(socket, { bytesRead: 0, idleSweeps: 0 });
    socket.once('close', () => connections.delete(socket));
  });

  function closeIdle(): void {
    for (const [socket, connection] of connections) {
      if (socket.bytesRead !== connection.bytesRead || pendingResponse(socket)) {
        connection.bytesRead = socket.bytesRead;
        connection.idleSweeps = 0;
      } else if (++connection.idleSweeps > maxIdleSweeps) {
        socket.destroy();
      }
    }
  }

  return {
    /** From then on readiness fails. */
    isShuttingDown: false,
    beginShutdown() {
      this.isShuttingDown = true;
    },
    /** Adds a function that ends responses which would not end by themselves, for when connections are drained or the server is closed. */
    onDrain: (listener: () => void) => void listeners.push(listener),
    /**
     * Stops listening, sends `Connection: close` with every response, and waits until all connections are closed. Resolves to
     * the number of requests that were aborted at the time-out.
     */
    async finish(timeoutMs: number): Promise<number> {
      const pending = () => [...connections.keys()].flatMap(socket => pendingResponse(socket) ?? []);
      pending().forEach(closeAfter);
      // First, since another listener may respond at once.
      server.prependListener('request', (_request, response) => closeAfter(response));
      const closed = once(server, 'close');
      // `close` of an HTTP server also closes idle connections, on which a request may be about to arrive.
      NetServer.prototype.close.call(server);
      endStreams();
      const sweep = setInterval(closeIdle, sweepIntervalMs);
      let aborted = 0;
      const deadline = setTimeout(() => {
        aborted = pending().length;
        for (const socket of connections.keys()) socket.destroy();
      }, timeoutMs);
      await closed;
      // The server of a worker process does not count the connections that it is handed.
      for (const socket of connections.keys()) await new Promise(resolve => socket.once('close', resolve));
      clearInterval(sweep);
      clearTimeout(deadline);
      return aborted;
    },
  };
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
