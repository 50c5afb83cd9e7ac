import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@carte/base/errors';
import type { SetFiles } from '@carte/operations/contract/folders';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { readOwnSets } from '../rest/sets.ts';
import type { Samples } from '../server/metrics.ts';
import type { Listener } from './listener.ts';
import { spawnWorker, type Worker } from './worker-handle.ts';

export type WorkerPool = ReturnType<typeof createWorkerPool>;

/** A worker that ran so long did not fail for a lasting reason. */
const stableAfterMs = 10_000;
const minRespawnDelayMs = 100;
const maxRespawnDelayMs = 10_000;

/** Has the configured number of workers running. */
export function createWorkerPool(config: Config, listener: Listener, log: FastifyBaseLogger) {
  const { processes, shutdown, operations } = config;
  /** The operations that workers serve: those that replace one that ended serve the same. */
  let operatorSets: readonly SetFiles[] = readOwnSets(operations);
  const workers = new Set<Worker>();
  const retiring = new Set<Worker>();
  const ready = Promise.withResolvers<void>();
  let hasServed = false;
  let isShuttingDown = false;
  /** Consecutive exits of workers that were not stable. */
  let failures = 0;
  let respawning = 0;

  const isMissing = () => !isShuttingDown && workers.size + respawning < processes;

  async function collectMetrics(): Promise<readonly Samples[]> {
    const running = [...workers, ...retiring].filter(({ isReady }) => isReady);
    const metrics = await Promise.all(running.map(worker => worker.readMetrics()));
    return metrics.filter(one => one !== undefined);
  }

  /** Resolves to whether the new worker became ready. */
  async function spawn(served = operatorSets): Promise<boolean> {
    const worker = spawnWorker(served, collectMetrics);
    workers.add(worker);
    void reap(worker, performance.now());
    if (!(await worker.ready)) return false;
    if (isShuttingDown) return true;
    hasServed = true;
    listener.add(worker);
    if ([...workers].filter(({ isReady }) => isReady).length === processes) ready.resolve();
    respawn();
    return true;
  }

  async function reap(worker: Worker, spawnedAt: number): Promise<void> {
    const reason = await worker.exited;
    listener.remove(worker);
    listener.reassign(worker);
    workers.delete(worker);
    if (retiring.delete(worker) || isShuttingDown) return;
    log.error(`Process ${worker.pid} ended by itself: ${reason}`);
    failures = performance.now() - spawnedAt > stableAfterMs ? 1 : failures + 1;
    if (hasServed) respawn();
    else if (workers.size === 0) ready.reject(new OperatorError(`No process became ready; the last one: ${reason}.`));
  }

  /** Replaces missing workers, with exponential backoff. */
  function respawn(): void {
    while (isMissing()) {
      respawning += 1;
      const delayMs = Math.min(minRespawnDelayMs * 2 ** (failures - 1), maxRespawnDelayMs);
      void sleep(delayMs, undefined, { ref: false }).then(() => {
        respawning -= 1;
        if (isMissing()) void spawn();
      });
    }
  }

  async function retire(worker: Worker): Promise<void> {
    workers.delete(worker);
    retiring.add(worker);
    listener.remove(worker);
    worker.send({ type: 'shutdown' });
    // It exits within that time by itself, unless it is stuck.
    const timer = setTimeout(() => worker.kill(), shutdown.seconds * 1_000);
    await worker.exited;
    clearTimeout(timer);
  }

  for (let count = 0; count < processes; count += 1) void spawn();
  return {
    /** Resolves once all workers are ready. Rejects if all exit before any was ready. */
    ready: ready.promise,
    /** Replaces the workers one after the other, without dropping a request. */
    async restart(): Promise<void> {
      let current: readonly SetFiles[];
      try {
        current = readOwnSets(operations);
      } catch (error) {
        return log.error({ err: error }, 'The operations cannot be read; the restart is abandoned');
      }
      for (const old of [...workers]) {
        if (isShuttingDown) return;
        if (!(await spawn(current))) return log.error('The new process did not become ready; the restart is abandoned');
        operatorSets = current;
        if (workers.has(old) && workers.size > processes) await retire(old);
      }
      log.info('All processes have been replaced');
    },
    /** Fails readiness in all workers. */
    beginShutdown(): void {
      isShuttingDown = true;
      for (const worker of workers) worker.send({ type: 'beginShutdown' });
    },
    /** Resolves when all workers have drained their connections and exited. */
    async shutdown(): Promise<void> {
      isShuttingDown = true;
      // A worker that is still starting has no connections to drain.
      for (const worker of workers) worker.isReady ? worker.send({ type: 'shutdown' }) : worker.kill();
      await Promise.all([...workers, ...retiring].map(({ exited }) => exited));
    },
    kill(): void {
      for (const worker of [...workers, ...retiring]) worker.kill();
    },
  };
}
