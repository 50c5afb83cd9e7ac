import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { OperatorError } from '../errors.ts';
import type { Measured } from '../server/metrics/aggregate.ts';
import type { Listener } from './listener.ts';
import { startWorker, type Worker } from './worker-process.ts';

/** The workers of a primary: as many as are wanted, whatever becomes of each. */
export interface WorkerPool {
  /** Resolves once all are ready. Rejects where all have ended and none was ever ready. */
  readonly complete: Promise<void>;
  /** Puts a new worker in the place of each, one after the other; callers notice nothing. */
  renew(): Promise<void>;
  /** All say that the service is not ready. */
  unready(): void;
  /** All answer those who are in, and end. */
  end(): Promise<void>;
  kill(): void;
}

/** One that lived so long had no lasting error. */
const longLife = 10_000;
const firstPause = 100;
const longestPause = 10_000;

export function createWorkerPool(
  { processes, shutdown }: Pick<Config, 'processes' | 'shutdown'>,
  { door, log }: { readonly door: Listener; readonly log: FastifyBaseLogger },
): WorkerPool {
  const workers = new Set<Worker>();
  const leaving = new Set<Worker>();
  const complete = Promise.withResolvers<void>();
  let hasServed = false;
  let isEnding = false;
  /** Deaths in a row of workers that did not live long. */
  let deaths = 0;
  let awaited = 0;

  const measureAll = async (): Promise<readonly Measured[]> => {
    const measured = await Promise.all([...workers, ...leaving].map(worker => worker.isReady && worker.measure()));
    return measured.filter(one => one !== undefined && one !== false);
  };

  async function hire(): Promise<boolean> {
    const worker = startWorker(measureAll);
    workers.add(worker);
    void bury(worker, performance.now());
    if (!(await worker.ready)) return false;
    if (isEnding) return true;
    hasServed = true;
    door.admit(worker);
    if ([...workers].filter(({ isReady }) => isReady).length === processes) complete.resolve();
    fill();
    return true;
  }

  async function bury(worker: Worker, begun: number): Promise<void> {
    const { how, untaken } = await worker.ended;
    door.dismiss(worker);
    door.take(untaken);
    workers.delete(worker);
    if (leaving.delete(worker) || isEnding) return;
    log.error(`Process ${worker.pid} ended by itself: ${how}`);
    deaths = performance.now() - begun > longLife ? 1 : deaths + 1;
    if (hasServed) fill();
    else if (workers.size === 0) complete.reject(new OperatorError(`No process became ready; the last one: ${how}.`));
  }

  /** Each that is missing is replaced, the later the more have died in a row. */
  function fill(): void {
    while (!isEnding && workers.size + awaited < processes) {
      awaited += 1;
      const pause = Math.min(firstPause * 2 ** (deaths - 1), longestPause);
      void sleep(pause, undefined, { ref: false }).then(() => {
        awaited -= 1;
        if (!isEnding && workers.size + awaited < processes) void hire();
      });
    }
  }

  async function retire(worker: Worker): Promise<void> {
    workers.delete(worker);
    leaving.add(worker);
    door.dismiss(worker);
    worker.tell({ kind: 'end' });
    // It ends within that time by itself, unless it hangs altogether.
    const timer = setTimeout(() => worker.kill(), shutdown.seconds * 1_000);
    await worker.ended;
    clearTimeout(timer);
  }

  for (let count = 0; count < processes; count += 1) void hire();
  return {
    complete: complete.promise,
    async renew() {
      for (const old of [...workers]) {
        if (isEnding) return;
        if (!(await hire())) {
          log.error('The new process did not become ready; those before it go on');
          return;
        }
        if (workers.has(old) && workers.size > processes) await retire(old);
      }
      log.info('All processes are new');
    },
    unready() {
      isEnding = true;
      for (const worker of workers) worker.tell({ kind: 'unready' });
    },
    async end() {
      isEnding = true;
      // One that is still starting has nobody to answer.
      for (const worker of workers) worker.isReady ? worker.tell({ kind: 'end' }) : worker.kill();
      await Promise.all([...workers, ...leaving].map(({ ended }) => ended));
    },
    kill() {
      for (const worker of [...workers, ...leaving]) worker.kill();
    },
  };
}
