/** How long to wait for work that is under way, in milliseconds: most takes less, and what is stuck holds up nobody. */
const patience = 10;

/**
 * Work that all share who ask for it before it begins. It begins when all that has arrived by now has asked, or when the
 * one before it has ended. So what it finds is never older than what anyone would have found alone.
 */
export class Shared<Result> {
  readonly #work: () => Promise<Result>;
  readonly #onIdle: () => void;
  #next: { readonly outcome: Promise<Result>; readonly begin: () => void } | undefined;
  #underWay = 0;

  /** `onIdle` is told when nobody is left who has asked. */
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
    const timer = this.#underWay > 0 ? setTimeout(begin, patience) : undefined;
    if (!timer) setImmediate(begin);
    return { outcome, begin };
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#next) this.#next.begin();
    else if (this.#underWay === 0) this.#onIdle();
  }
}
