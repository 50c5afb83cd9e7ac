import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SetFiles } from '@carte/operations/contract/folders';
import type { CollectMetrics, ProcessMetrics } from '../server/metrics.ts';

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
  | { readonly type: 'collectedMetrics'; readonly all: readonly ProcessMetrics[] };

/** Messages from a worker to the primary. */
export type PrimaryMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'connectionAccepted'; readonly id: number }
  | { readonly type: 'connectionClosed' }
  | { readonly type: 'collectMetrics' }
  | { readonly type: 'metrics'; readonly samples: ProcessMetrics['samples'] };

/** A worker process, as the primary sees it. */
export type Worker = ReturnType<typeof spawnWorker>;

const bin = fileURLToPath(new URL('../../bin/carte.js', import.meta.url));
/** Shorter than a scrape's time-out, so that a stuck worker costs its own metrics only. */
const metricsTimeoutMs = 2_000;

/** Spawns a worker with these operations; `collectMetrics` reads the metrics of all workers for it. */
export function spawnWorker(operatorSets: readonly SetFiles[], collectMetrics: CollectMetrics) {
  // Samples may be NaN or infinite, which JSON cannot represent.
  const child = fork(bin, ['worker'], { serialization: 'advanced' });
  const pid = child.pid ?? 0;
  const unaccepted = new Map<number, Socket>();
  let reading: PromiseWithResolvers<ProcessMetrics['samples']> | undefined;
  const ready = Promise.withResolvers<boolean>();
  let isReady = false;
  let connections = 0;
  let lastId = 0;

  // A message to a worker that has just exited is lost; `exited` reports that.
  const send = (message: WorkerMessage) => void child.send(message, () => {});

  child.on('message', (message: PrimaryMessage) => {
    switch (message.type) {
      case 'ready':
        isReady = true;
        ready.resolve(true);
        break;
      case 'connectionAccepted':
        // Closes only the primary's handle on the connection.
        unaccepted.get(message.id)?.destroy();
        unaccepted.delete(message.id);
        break;
      case 'connectionClosed':
        connections -= 1;
        break;
      case 'collectMetrics':
        void collectMetrics().then(all => send({ type: 'collectedMetrics', all }));
        break;
      case 'metrics':
        reading?.resolve(message.samples);
        reading = undefined;
        break;
    }
  });
  send({ type: 'start', operatorSets });
  const exited = exitOf(child).then(reason => {
    ready.resolve(false);
    return { reason, unaccepted: [...unaccepted.values()] };
  });
  return {
    pid,
    /** Resolves to false if the worker exits before it is ready. */
    ready: ready.promise,
    /** Resolves to the status or signal, and to the connections that were sent to the worker but not accepted by it. */
    exited,
    get isReady() {
      return isReady;
    },
    /** Open connections, unaccepted ones included. */
    get connections() {
      return connections;
    },
    get unaccepted() {
      return unaccepted.size;
    },
    sendConnection(socket: Socket): void {
      lastId += 1;
      connections += 1;
      unaccepted.set(lastId, socket);
      child.send({ type: 'connection', id: lastId } satisfies WorkerMessage, socket, { keepOpen: true }, () => {});
    },
    send,
    /** Resolves to undefined if the worker does not respond in time. */
    async readMetrics(): Promise<ProcessMetrics | undefined> {
      if (!reading) send({ type: 'readMetrics' });
      reading ??= Promise.withResolvers();
      const timeout = sleep(metricsTimeoutMs, undefined, { ref: false });
      const samples = await Promise.race([reading.promise, timeout, exited.then(() => undefined)]);
      return samples && { pid, samples };
    },
    kill: () => void child.kill('SIGKILL'),
  };
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
