import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SetFiles } from '@carte/operations/contract/folders';
import type { CollectMetrics, Samples } from '../server/metrics.ts';

/** Messages from the primary to a worker. */
export type WorkerMessage =
  /** The first message. */
  | { readonly type: 'start'; readonly operatorSets: readonly SetFiles[] }
  /** Comes with the socket, unless the client has closed it already. */
  | { readonly type: 'connection'; readonly id: number }
  /** Fails readiness. */
  | { readonly type: 'beginShutdown' }
  /** Drains the connections and exits. */
  | { readonly type: 'shutdown' }
  | { readonly type: 'readMetrics' }
  | { readonly type: 'collectedMetrics'; readonly all: readonly Samples[] };

/** Messages from a worker to the primary. */
export type PrimaryMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'connectionAccepted'; readonly id: number }
  | { readonly type: 'connectionClosed' }
  | { readonly type: 'collectMetrics' }
  | { readonly type: 'metrics'; readonly samples: Samples };

/** A worker process, as the primary sees it. */
export type Worker = Readonly<ReturnType<typeof spawnWorker>>;

const bin = fileURLToPath(new URL('../../bin/carte.js', import.meta.url));
/** Shorter than a scrape's time-out, so that a stuck worker costs its own metrics only. */
const metricsTimeoutMs = 2_000;

/** Spawns a worker with these operations; `collectMetrics` reads the metrics of all workers for it. */
export function spawnWorker(operatorSets: readonly SetFiles[], collectMetrics: CollectMetrics) {
  // Samples may be NaN or infinite, which JSON cannot represent.
  const child = fork(bin, ['worker'], { serialization: 'advanced' });
  const ready = Promise.withResolvers<boolean>();
  const exited = exitOf(child).then(reason => {
    ready.resolve(false);
    return reason;
  });
  let reading: PromiseWithResolvers<Samples> | undefined;
  let lastId = 0;

  const worker = {
    pid: child.pid ?? 0,
    isReady: false,
    /** Resolves to false if the worker exits before it is ready. */
    ready: ready.promise,
    /** Resolves to the status or signal. */
    exited,
    /** Open connections, unaccepted ones included. */
    connections: 0,
    /** Those that were sent to the worker, but not accepted by it. */
    unaccepted: new Map<number, Socket>(),
    sendConnection(socket: Socket): void {
      lastId += 1;
      worker.connections += 1;
      worker.unaccepted.set(lastId, socket);
      child.send({ type: 'connection', id: lastId } satisfies WorkerMessage, socket, { keepOpen: true }, () => {});
    },
    // A message to a worker that has just exited is lost; `exited` reports that.
    send: (message: WorkerMessage) => void child.send(message, () => {}),
    /** Resolves to undefined if the worker does not respond in time. */
    readMetrics(): Promise<Samples | undefined> {
      if (!reading) worker.send({ type: 'readMetrics' });
      reading ??= Promise.withResolvers();
      const timeout = sleep(metricsTimeoutMs, undefined, { ref: false });
      return Promise.race([reading.promise, timeout, exited.then(() => undefined)]);
    },
    kill: () => void child.kill('SIGKILL'),
  };
  child.on('message', (message: PrimaryMessage) => {
    switch (message.type) {
      case 'ready':
        worker.isReady = true;
        ready.resolve(true);
        break;
      case 'connectionAccepted':
        // Closes only the primary's handle on the connection.
        worker.unaccepted.get(message.id)?.destroy();
        worker.unaccepted.delete(message.id);
        break;
      case 'connectionClosed':
        worker.connections -= 1;
        break;
      case 'collectMetrics':
        void collectMetrics().then(all => worker.send({ type: 'collectedMetrics', all }));
        break;
      case 'metrics':
        reading?.resolve(message.samples);
        reading = undefined;
        break;
    }
  });
  worker.send({ type: 'start', operatorSets });
  return worker;
}

/**
 * Resolves after the worker's last message, when it is known which connections it has accepted. (The event `disconnect` is not
 * emitted while a connection is being sent.)
 */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.on('error', error => {
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('close', (code, signal) => resolve(signal === null ? `status ${code}` : `signal ${signal}`));
  });
}
