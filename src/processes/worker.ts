import { once } from 'node:events';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../open-database.ts';
import type { CollectMetrics, Samples } from '../server/metrics.ts';
import { createServer } from '../server/server.ts';
import { drainAndClose, tolerateDatabaseRejections } from '../server/shutdown.ts';
import type { PrimaryMessage, WorkerMessage } from './worker-handle.ts';

/** Serves the connections that the primary hands over, until the primary asks for the shutdown or exits. */
export async function runWorker(): Promise<void> {
  // A terminal or service manager signals all processes; the primary handles that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  try {
    await serveConnections(readConfig(process.env));
  } finally {
    if (process.connected) process.disconnect();
  }
}

async function serveConnections(config: Config): Promise<void> {
  const disconnected = once(process, 'disconnect');
  const [first]: WorkerMessage[] = await Promise.race([once(process, 'message'), disconnected]);
  const operatorSets = first?.type === 'start' ? first.operatorSets : [];
  const database = await openDatabase(config);
  try {
    const metrics = createMetricsExchange(disconnected);
    const app = await createServer(database.orm, config, { collectMetrics: metrics.collect, operatorSets });
    tolerateDatabaseRejections(app.log);
    const shutdown = handleMessages(app, metrics.resolve);
    void disconnected.then(() => app.drain.beginShutdown());
    await app.ready();
    // Node checks time-outs of requests from this event on, but this server does not listen.
    app.server.emit('listening');
    send({ type: 'ready' });
    await Promise.race([shutdown, disconnected]);
    setTimeout(() => process.exit(0), config.shutdown.seconds * 1_000).unref();
    await drainAndClose(app, config.shutdown);
  } finally {
    await database.close();
  }
}

/** Resolves when the primary asks for the shutdown. */
function handleMessages(app: FastifyInstance, onMetrics: (all: readonly Samples[]) => void): Promise<void> {
  return new Promise(resolve => {
    process.on('message', (message: WorkerMessage, socket: unknown) => {
      switch (message.type) {
        case 'start':
          break;
        case 'connection':
          send({ type: 'connectionAccepted', id: message.id });
          acceptConnection(app, socket);
          break;
        case 'beginShutdown':
          app.drain.beginShutdown();
          break;
        case 'shutdown':
          resolve();
          break;
        case 'readMetrics':
          void app.metrics.registry.getMetricsAsJSON().then(samples => send({ type: 'metrics', samples }));
          break;
        case 'collectedMetrics':
          onMetrics(message.all);
          break;
      }
    });
  });
}

/** `socket` is undefined if the client closed the connection before it arrived here. */
function acceptConnection(app: FastifyInstance, socket: unknown): void {
  const onClose = () => send({ type: 'connectionClosed' });
  if (socket instanceof Socket) {
    // As for connections that an HTTP server accepts itself: the client may have shut down its writing side.
    socket.allowHalfOpen = true;
    socket.once('close', onClose);
    app.server.emit('connection', socket);
  } else {
    onClose();
  }
}

/** Collects the metrics of all workers, through the primary; concurrent calls share them. */
function createMetricsExchange(disconnected: Promise<unknown>) {
  let collecting: PromiseWithResolvers<readonly Samples[]> | undefined;
  const resolve = (all: readonly Samples[]) => {
    collecting?.resolve(all);
    collecting = undefined;
  };
  void disconnected.then(() => resolve([]));
  const collect: CollectMetrics = async () => {
    if (!process.connected) return [];
    if (!collecting) send({ type: 'collectMetrics' });
    collecting ??= Promise.withResolvers();
    return collecting.promise;
  };
  return { collect, resolve };
}

function send(message: PrimaryMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
