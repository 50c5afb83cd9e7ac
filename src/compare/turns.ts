/** Lets so many works run at once; the others wait in their order. */
export function createGate(places: number) {
  let free = places;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** A claim to be the only one that holds something large. */
export interface Turn {
  /** Waits until those before have left; both sides of a comparison may ask for it. */
  enter(): Promise<void>;
  leave(): void;
}

export function createTurns(): () => Turn {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    let entered: Promise<void> | undefined;
    const queue = () => {
      const before = last;
      last = before.then(() => left);
      return before;
    };
    return { enter: () => (entered ??= queue()), leave };
  };
}

/** Works on all, so many at a time. */
export async function eachOf<T>(
  values: readonly T[],
  atOnce: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const rest = values.values();
  const worker = async () => {
    for (const value of rest) await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
