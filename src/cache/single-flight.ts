/** How long calls wait for a run in progress: most take less, and one that hangs must not delay the next for long. */
const maxWaitMs = 10;

/**
 * Coalesces concurrent calls: callers that arrive before a run starts share it. A run starts once the events of this turn of the
 * event loop are handled or, while another is in progress, when that one ends. So no caller gets a result older than its call.
 */
export class SingleFlight<Result> {
  readonly #run: () => Promise<Result>;
  readonly #onIdle: () => void;
  #next: { readonly result: Promise<Result>; readonly start: () => void } | undefined;
  #running = 0;

  /** `onIdle` is called when no caller is left. */
  constructor(run: () => Promise<Result>, onIdle: () => void = () => {}) {
    this.#run = run;
    this.#onIdle = onIdle;
  }

  get(): Promise<Result> {
    this.#next ??= this.#schedule();
    return this.#next.result;
  }

  #schedule() {
    const { promise: result, resolve } = Promise.withResolvers<Result>();
    let isStarted = false;
    const start = () => {
      if (isStarted) return;
      isStarted = true;
      clearTimeout(timer);
      this.#next = undefined;
      this.#running += 1;
      const running = this.#run();
      resolve(running);
      running.catch(() => {}).finally(() => this.#end());
    };
    const timer = this.#running > 0 ? setTimeout(start, maxWaitMs) : undefined;
    if (!timer) setImmediate(start);
    return { result, start };
  }

  #end(): void {
    this.#running -= 1;
    if (this.#next) this.#next.start();
    else if (this.#running === 0) this.#onIdle();
  }
}
