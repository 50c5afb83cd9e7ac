import { TooManyRequests } from '../errors.ts';

/** What a key may still do, as the headers of an answer. */
export type RateHeaders = Readonly<Record<`ratelimit-${string}`, string>>;

export interface RateLimit {
  /** Counts a request of the key. Throws `TooManyRequests` when the key has no more; `tell` hears what is left first. */
  take(keyId: string, tell: (headers: RateHeaders) => void): void;
}

interface Window {
  used: number;
  readonly ends: number;
}

const length = 60_000;

/** So many requests a minute for each key, counted in this process. A key's minute begins with its first request. */
export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  const windows = new Map<string, Window>();
  let swept = now();

  function windowOf(keyId: string): Window {
    const time = now();
    if (time - swept > length) {
      for (const [id, { ends }] of windows) if (ends <= time) windows.delete(id);
      swept = time;
    }
    const known = windows.get(keyId);
    if (known && known.ends > time) return known;
    const window = { used: 0, ends: time + length };
    windows.set(keyId, window);
    return window;
  }

  return {
    take(keyId, tell) {
      const window = windowOf(keyId);
      window.used += 1;
      const seconds = Math.max(1, Math.ceil((window.ends - now()) / 1_000));
      tell({
        'ratelimit-limit': String(perMinute),
        'ratelimit-policy': `${perMinute};w=${length / 1_000}`,
        'ratelimit-remaining': String(Math.max(0, perMinute - window.used)),
        'ratelimit-reset': String(seconds),
      });
      if (window.used <= perMinute) return;
      throw new TooManyRequests(`This API key may make ${perMinute} requests a minute.`, { retrySeconds: seconds });
    },
  };
}
