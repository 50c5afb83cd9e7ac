import { AsyncLocalStorage } from 'node:async_hooks';
import { BatchSchedule } from '../scheduling/batch-schedule.ts';

/** Coalesces concurrent calls: callers that arrive before a run starts share it, so none gets a result older than its call. */
export class SingleFlight<Result> {
  readonly #run: () => Promise<Result>;
  readonly #onIdle: () => void;
  readonly #schedule = new BatchSchedule();
  #next: Promise<Result> | undefined;

  /** `onIdle` is called when no caller is left. */
  constructor(run: () => Promise<Result>, onIdle: () => void = () => {}) {
    this.#run = run;
    this.#onIdle = onIdle;
  }

  get(): Promise<Result> {
    this.#next ??= new Promise(resolve => {
      // As part of the request that called first, not of one that is over when the run starts.
      const runAsCaller = AsyncLocalStorage.snapshot();
      this.#schedule.next(() => resolve(runAsCaller(() => this.#start())));
    });
    return this.#next;
  }

  async #start(): Promise<Result> {
    this.#next = undefined;
    try {
      return await this.#schedule.run(this.#run);
    } finally {
      if (this.#schedule.isIdle) this.#onIdle();
    }
  }
}
