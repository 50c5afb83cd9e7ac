import type { RetryableError } from '@carte/base/errors';

export interface FairQueueOptions {
  /** Tasks that run at a time. */
  readonly width: number;
  /** Tasks of one key that run at a time; guests have keys of their own. */
  readonly perKey: number;
  /** Tasks of one key that may wait; further ones are rejected. */
  readonly maxWaiting: number;
  /** For so long a task may wait. */
  readonly maxWaitMs: number;
  /** The error of a task that may not wait, or has waited for too long. */
  readonly createError: () => RetryableError;
}

interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

interface KeyState {
  running: number;
  /** Created when a task has to wait, as few do. */
  waiting: Set<Waiting> | undefined;
}

/**
 * Bounds the tasks that run at a time, and takes those that wait from each key in turn (round robin), so that no key waits for the queue of
 * another. Only the key that has too many tasks waiting is rejected.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Keys with tasks; those that wait are served in this order. */
  readonly #keys = new Map<string, KeyState>();
  #running = 0;
  #waiting = 0;
  #rejected = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get counts(): { readonly running: number; readonly waiting: number; readonly rejected: number } {
    return { running: this.#running, waiting: this.#waiting, rejected: this.#rejected };
  }

  /** Whether a key has at least an equal share of all tasks, running or waiting. */
  exceedsShare(key: string): boolean {
    const state = this.#keys.get(key);
    const tasks = state ? state.running + waitingIn(state) : 0;
    const all = this.#running + this.#waiting;
    return tasks === all || (tasks > 1 && tasks * this.#keys.size >= all);
  }

  /** The task may return its slot before it ends, e.g. since it only waits from then on. */
  async run<Result>(
    key: string,
    task: (leaveEarly: () => void) => Promise<Result> | Result,
    maxWaitMs?: number,
  ): Promise<Result> {
    if (!this.tryEnter(key)) await this.enter(key, maxWaitMs);
    let isIn = true;
    const leave = () => {
      if (isIn) this.leave(key);
      isIn = false;
    };
    try {
      return await task(leave);
    } finally {
      leave();
    }
  }

  /** Takes a slot if there is one; then `leave` returns it. */
  tryEnter(key: string): boolean {
    const { width, perKey } = this.#options;
    const state = this.#keys.get(key);
    if (this.#running >= width || (state && (state.running >= perKey || waitingIn(state) > 0))) return false;
    this.#start(key, state ?? { running: 0, waiting: undefined });
    return true;
  }

  /** Waits for a slot; rejects if too many tasks of the key wait, or this one waits for too long. */
  enter(key: string, maxWaitMs = this.#options.maxWaitMs): Promise<void> {
    const state = this.#keys.get(key) ?? { running: 0, waiting: undefined };
    if (waitingIn(state) >= this.#options.maxWaiting) return Promise.reject(this.#reject());
    this.#keys.set(key, state);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#stopWaiting(state, waiting);
        this.#forgetIdle(key, state);
        reject(this.#reject());
      }, maxWaitMs);
      const waiting: Waiting = { start: resolve, timer };
      state.waiting ??= new Set();
      state.waiting.add(waiting);
      this.#waiting += 1;
    });
  }

  /** Returns a slot to the queue. */
  leave(key: string): void {
    const state = this.#keys.get(key);
    if (!state) throw new Error('A key has left a queue that it was not in');
    state.running -= 1;
    this.#running -= 1;
    this.#forgetIdle(key, state);
    if (this.#waiting > 0) this.#startNext();
  }

  #start(key: string, state: KeyState): void {
    state.running += 1;
    this.#running += 1;
    // The key goes to the end of the round.
    if (this.#waiting > 0) this.#keys.delete(key);
    this.#keys.set(key, state);
  }

  #startNext(): void {
    const { width, perKey } = this.#options;
    for (const [key, state] of this.#keys) {
      if (this.#running >= width) return;
      const [next] = state.waiting ?? [];
      if (!next || state.running >= perKey) continue;
      this.#start(key, state);
      this.#stopWaiting(state, next);
      next.start();
      return;
    }
  }

  #stopWaiting(state: KeyState, waiting: Waiting): void {
    clearTimeout(waiting.timer);
    if (state.waiting?.delete(waiting)) this.#waiting -= 1;
  }

  #forgetIdle(key: string, state: KeyState): void {
    if (state.running === 0 && waitingIn(state) === 0) this.#keys.delete(key);
  }

  #reject(): RetryableError {
    this.#rejected += 1;
    return this.#options.createError();
  }
}

const waitingIn = ({ waiting }: KeyState): number => waiting?.size ?? 0;
