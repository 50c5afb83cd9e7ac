import type { RetryableError } from '../errors.ts';

export interface FairQueueOptions {
  /** Tasks that run at a time. */
  readonly width: number;
  /** Tasks of one key that run at a time. */
  readonly perKey: number;
  /** Tasks of one key that may wait; further ones are rejected. */
  readonly maxWaiting: number;
  /** For so long a task may wait. */
  readonly maxWaitMs: number;
  /** The error of a task that may not wait, or has waited for too long. */
  readonly createError: () => RetryableError;
}

/** Returns the slot of a task to the queue; a second call does nothing. */
export type Release = () => void;

interface Waiting {
  readonly start: (release: Release) => void;
  readonly timer: NodeJS.Timeout;
}

interface KeyState {
  running: number;
  readonly waiting: Set<Waiting>;
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
    const tasks = state ? state.running + state.waiting.size : 0;
    const all = this.#running + this.#waiting;
    return tasks === all || (tasks > 1 && tasks * this.#keys.size >= all);
  }

  async run<Result>(key: string, task: () => Promise<Result> | Result): Promise<Result> {
    const slot = this.acquire(key);
    const release = slot instanceof Promise ? await slot : slot;
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Takes a slot, at once if there is one; fails if too many tasks of the key wait, or this one waits for too long. */
  acquire(key: string): Release | Promise<Release> {
    const { width, perKey, maxWaiting } = this.#options;
    const state = this.#stateOf(key);
    if (this.#running < width && state.running < perKey && state.waiting.size === 0) return this.#start(key, state);
    if (state.waiting.size >= maxWaiting) throw this.#reject();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#stopWaiting(state, waiting);
        this.#forgetIdle(key, state);
        reject(this.#reject());
      }, this.#options.maxWaitMs);
      const waiting: Waiting = { start: resolve, timer };
      state.waiting.add(waiting);
      this.#waiting += 1;
    });
  }

  #stateOf(key: string): KeyState {
    const known = this.#keys.get(key);
    if (known) return known;
    const state: KeyState = { running: 0, waiting: new Set() };
    this.#keys.set(key, state);
    return state;
  }

  #start(key: string, state: KeyState): Release {
    state.running += 1;
    this.#running += 1;
    if (this.#keys.size > 1) {
      // The key goes to the end of the round.
      this.#keys.delete(key);
      this.#keys.set(key, state);
    }
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      state.running -= 1;
      this.#running -= 1;
      this.#forgetIdle(key, state);
      if (this.#waiting > 0) this.#startNext();
    };
  }

  #startNext(): void {
    const { width, perKey } = this.#options;
    for (const [key, state] of this.#keys) {
      if (this.#running >= width) return;
      const [next] = state.waiting;
      if (!next || state.running >= perKey) continue;
      this.#stopWaiting(state, next);
      next.start(this.#start(key, state));
      return;
    }
  }

  #stopWaiting(state: KeyState, waiting: Waiting): void {
    clearTimeout(waiting.timer);
    if (state.waiting.delete(waiting)) this.#waiting -= 1;
  }

  #forgetIdle(key: string, state: KeyState): void {
    if (state.running === 0 && state.waiting.size === 0) this.#keys.delete(key);
  }

  #reject(): RetryableError {
    this.#rejected += 1;
    return this.#options.createError();
  }
}
