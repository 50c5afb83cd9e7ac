/** Limits how many tasks run at once; the others wait in FIFO order. */
export function createSemaphore(limit: number) {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** A mutex that is acquired when it turns out to be needed, if at all. */
export interface Lock {
  /** Waits for the locks acquired before. Idempotent, since both requests of a pair share one lock. */
  acquire(): Promise<void>;
  release(): void;
}

/** Returns a factory of locks that exclude each other. */
export function createLocks(): () => Lock {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let acquired: Promise<void> | undefined;
    const enqueue = () => {
      const previous = last;
      last = previous.then(() => released);
      return previous;
    };
    return { acquire: () => (acquired ??= enqueue()), release };
  };
}

export async function forEachConcurrent<T>(
  values: readonly T[],
  concurrency: number,
  task: (value: T) => Promise<void>,
): Promise<void> {
  const remaining = values.values();
  const worker = async () => {
    for (const value of remaining) await task(value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
