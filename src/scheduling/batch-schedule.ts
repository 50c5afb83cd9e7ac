import { AsyncLocalStorage } from 'node:async_hooks';

/** How long a batch waits for the one in progress: most take less, and one that hangs must not delay the next for long. */
const maxWaitMs = 10;

/**
 * Starts a batch at the end of this turn of the event loop or, while another is in progress, when that one ends. So a batch starts after all
 * calls that share it, and none of them gets a result older than itself.
 */
export class BatchSchedule {
  #next: (() => void) | undefined;
  #running = 0;

  get isIdle(): boolean {
    return this.#running === 0 && this.#next === undefined;
  }

  next(dispatch: () => void): void {
    const start = () => {
      if (this.#next !== start) return;
      this.#next = undefined;
      clearTimeout(timer);
      dispatch();
    };
    this.#next = start;
    const timer = this.#running > 0 ? setTimeout(start, maxWaitMs) : undefined;
    if (!timer) setImmediate(start);
  }

  async run<T>(batch: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await batch();
    } finally {
      this.#running -= 1;
      this.#next?.();
    }
  }
}

/** Has calls that come while a run is under way share it, and its result, which may be older than a call. */
export function shareRun<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

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
      const start = () => resolve(this.#start());
      // As part of the request that called first, not of the one whose run ends when this starts.
      this.#schedule.next(this.#schedule.isIdle ? start : AsyncLocalStorage.bind(start));
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
