import { describe, expect, test } from 'vitest';
import { ResponseCache } from '../../src/cache/response-cache.ts';
import type { Chunk } from '../../src/execution/json-writer.ts';
import { DeduplicatedBuffer } from '../../src/execution/json-writer.ts';
import { runAtOnce } from '../../src/scheduling/time-slice.ts';

const deduplicate = (chunk: Chunk) => runAtOnce(DeduplicatedBuffer.from(chunk));

const a = Buffer.from('a'.repeat(100));
const b = Buffer.from('b'.repeat(100));
const rejectRender = () => Promise.reject(new Error('rendered again'));

describe('ResponseCache', () => {
  test('counts compressed representations in its size', async () => {
    const cache = new ResponseCache(1_000_000);
    const entry = await cache.get('key', '1', async () => ({ revision: '1', bytes: a }));
    const before = cache.bytes;
    const compressed = await entry.encoded('gzip');
    expect(cache.bytes).toBe(before + compressed.length);
    expect(await cache.get('key', '1', rejectRender)).toBe(entry);
  });

  test('renders concurrent misses of one key once', async () => {
    const cache = new ResponseCache(0);
    let renders = 0;
    const render = async () => {
      renders += 1;
      return { revision: '1', bytes: a };
    };
    const [first, second] = await Promise.all([cache.get('key', '1', render), cache.get('key', '1', render)]);
    expect(second).toBe(first);
    expect(renders).toBe(1);
  });
});

describe('a primed entry', () => {
  test('is a hit for its revision alone', async () => {
    const cache = new ResponseCache(1_000_000);
    cache.prime('key', '1', deduplicate([a, b, a]));
    expect(cache.bytes).toBeLessThan(300);
    expect((await cache.get('key', '1', rejectRender)).bytes).toEqual(Buffer.concat([a, b, a]));
    expect(cache.bytes).toBeGreaterThanOrEqual(300);
    await expect(cache.get('key', '2', rejectRender)).rejects.toThrow('rendered again');
    expect([cache.hits, cache.misses]).toEqual([1, 1]);
  });

  test('replaces one of an older revision', async () => {
    const cache = new ResponseCache(1_000_000);
    await cache.get('key', '1', async () => ({ revision: '1', bytes: a }));
    cache.prime('key', '2', deduplicate('new'));
    expect((await cache.get('key', '2', rejectRender)).bytes.toString()).toBe('new');
  });

  test('does not replace one of the same revision, which may be compressed already', async () => {
    const cache = new ResponseCache(1_000_000);
    const entry = await cache.get('key', '1', async () => ({ revision: '1', bytes: a }));
    cache.prime('key', '1', deduplicate([a]));
    expect(await cache.get('key', '1', rejectRender)).toBe(entry);
  });

  test('is dropped where the cache has no capacity', async () => {
    const cache = new ResponseCache(0);
    cache.prime('key', '1', deduplicate([a]));
    await expect(cache.get('key', '1', rejectRender)).rejects.toThrow('rendered again');
  });
});
