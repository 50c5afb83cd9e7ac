/** How long to wait for a run that is in progress: most take less, and one that hangs delays nobody for long. */
const longestWaitMs = 10;

/**
 * Coalesces concurrent calls: callers that arrive before a run starts share it. A run starts once the events of this turn of the
 * event loop are handled or, while another is in progress, when that one ends. So no caller gets a result older than its call.
 */
export class SingleFlight<Result> {
  readonly #work: () => Promise<Result>;
  readonly #onIdle: () => void;
  #next: { readonly outcome: Promise<Result>; readonly begin: () => void } | undefined;
  #underWay = 0;

  /** `onIdle` is called when no caller is left. */
  constructor(work: () => Promise<Result>, onIdle: () => void = () => {}) {
    this.#work = work;
    this.#onIdle = onIdle;
  }

  get(): Promise<Result> {
    this.#next ??= this.#prepare();
    return this.#next.outcome;
  }

  #prepare() {
    const { promise: outcome, resolve } = Promise.withResolvers<Result>();
    let isBegun = false;
    const begin = () => {
      if (isBegun) return;
      isBegun = true;
      clearTimeout(timer);
      this.#next = undefined;
      this.#underWay += 1;
      const working = this.#work();
      resolve(working);
      working.catch(() => {}).finally(() => this.#end());
    };
    const timer = this.#underWay > 0 ? setTimeout(begin, longestWaitMs) : undefined;
    if (!timer) setImmediate(begin);
    return { outcome, begin };
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#next) this.#next.begin();
    else if (this.#underWay === 0) this.#onIdle();
  }
}
