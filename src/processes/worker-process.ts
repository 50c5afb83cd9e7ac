import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Measured, Samples } from '../server/metrics/aggregate.ts';
import { isReport, type Order, type Report } from './messages.ts';

/** A process that answers requests, as the primary sees it. */
export interface Worker {
  readonly pid: number;
  readonly isReady: boolean;
  /** False where it ended before it was ready. */
  readonly ready: Promise<boolean>;
  /** Says how it ended, and gives back the connections that it was given and has not taken. */
  readonly ended: Promise<{ readonly how: string; readonly untaken: readonly Socket[] }>;
  /** How many it has, those on their way to it included. */
  readonly connections: number;
  readonly untaken: number;
  take(socket: Socket): void;
  tell(order: Order): void;
  /** What it has measured; undefined where it does not say so in time. */
  measure(): Promise<Measured | undefined>;
  kill(): void;
}

const bin = fileURLToPath(new URL('../../bin/carte.js', import.meta.url));
/** Who scrapes gives up after some seconds, and would rather know most than nothing. */
const patience = 2_000;

/** Starts a worker; it is told what the others have measured when it asks for that. */
export function startWorker(measureAll: () => Promise<readonly Measured[]>): Worker {
  // Samples may be NaN or infinite, which JSON cannot say.
  const child = fork(bin, ['worker'], { serialization: 'advanced' });
  const untaken = new Map<number, Socket>();
  const scrapes = new Map<number, (samples: Samples) => void>();
  const ready = Promise.withResolvers<boolean>();
  let isReady = false;
  let connections = 0;
  let last = 0;

  // A worker may end at any time; what it was told is then lost, and its end is noticed elsewhere.
  const tell = (order: Order) => void child.send(order, () => {});
  function hear(report: Report): void {
    switch (report.kind) {
      case 'ready':
        isReady = true;
        ready.resolve(true);
        break;
      case 'taken':
        // The worker has the connection; this closes nothing but a second handle on it.
        untaken.get(report.connection)?.destroy();
        untaken.delete(report.connection);
        break;
      case 'gone':
        connections -= 1;
        break;
      case 'scrape':
        void measureAll().then(all => tell({ kind: 'measured', scrape: report.scrape, all }));
        break;
      case 'samples':
        scrapes.get(report.scrape)?.(report.samples);
        break;
    }
  }
  child.on('message', message => {
    if (isReport(message)) hear(message);
  });
  const ended = endOf(child).then(how => {
    ready.resolve(false);
    return { how, untaken: [...untaken.values()] };
  });
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    ended,
    get isReady() {
      return isReady;
    },
    get connections() {
      return connections;
    },
    get untaken() {
      return untaken.size;
    },
    take(socket) {
      last += 1;
      connections += 1;
      untaken.set(last, socket);
      child.send({ kind: 'take', connection: last } satisfies Order, socket, { keepOpen: true }, () => {});
    },
    tell,
    async measure() {
      last += 1;
      const scrape = last;
      const answer = new Promise<Samples>(resolve => scrapes.set(scrape, resolve));
      tell({ kind: 'measure', scrape });
      const samples = await Promise.race([
        answer,
        sleep(patience, undefined, { ref: false }),
        ended.then(() => undefined),
      ]);
      scrapes.delete(scrape);
      return samples && { pid: child.pid ?? 0, samples };
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/**
 * Waits for its last word too: only then is it known which connections it has not taken. (The event `disconnect` does not
 * come while one of them is on its way.)
 */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.on('error', error => {
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('close', (code, signal) => resolve(signal === null ? `status ${code}` : `signal ${signal}`));
  });
}
