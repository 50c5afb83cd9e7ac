import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { openDatabase } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { drainAndClose } from '../server/shutdown.ts';
import { createRunningServer, type RunningServer } from '../server/start.ts';
import { isOrder, type Order, type Report } from './messages.ts';
import { createMetricsExchange, type MetricsExchange } from './metrics.ts';

/** Answers the requests on the connections that the primary hands over, until it says so or is gone. */
export async function work(readConfig: () => Config): Promise<void> {
  if (!process.connected) {
    throw new OperatorError('A worker is started by `carte serve` alone, when CARTE_PROCESSES is more than 1.');
  }
  // Signals reach all processes of a terminal or a unit; the primary sees to them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  try {
    await answer(readConfig());
  } finally {
    if (process.connected) process.disconnect();
  }
}

async function answer(config: Config): Promise<void> {
  const orphaned = new Promise<void>(resolve => process.once('disconnect', resolve));
  const database = await openDatabase(config);
  try {
    const gathering = createMetricsExchange(report, orphaned);
    const running = await createRunningServer(database.orm, config, gathering.gather);
    const { app, drain, stopTracing } = running;
    const dismissed = handleMessages(running, gathering);
    void orphaned.then(() => drain.begin());
    await app.ready();
    // Node times requests out from this event on. There is nothing to listen to here.
    app.server.emit('listening');
    report({ kind: 'ready' });
    await Promise.race([dismissed, orphaned]);
    await drainAndClose(app, drain, config.shutdown.seconds);
    await stopTracing();
  } finally {
    await database.close();
  }
}

/** Resolves when the primary says that it is time to end. */
function handleMessages({ app, drain }: RunningServer, gathering: MetricsExchange): Promise<void> {
  return new Promise(resolve => {
    function follow(order: Order, socket: unknown): void {
      switch (order.kind) {
        case 'take':
          report({ kind: 'taken', connection: order.connection });
          take(app, socket);
          break;
        case 'unready':
          drain.begin();
          break;
        case 'end':
          resolve();
          break;
        case 'measure':
          void gathering.measure(order.scrape);
          break;
        case 'measured':
          gathering.answer(order.scrape, order.all);
          break;
      }
    }
    process.on('message', (message, socket) => {
      if (isOrder(message)) follow(message, socket);
    });
  });
}

/** There is no connection where the caller was gone before it came here. */
function take(app: FastifyInstance, socket: unknown): void {
  const part = () => report({ kind: 'gone' });
  if (socket instanceof Socket) {
    // As for connections that a server accepts itself: the caller may have shut down its writing side.
    socket.allowHalfOpen = true;
    socket.once('close', part);
    app.server.emit('connection', socket);
  } else {
    part();
  }
}

/** Where the primary has gone, nobody needs to know any more. */
function report(report: Report): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => {});
}
