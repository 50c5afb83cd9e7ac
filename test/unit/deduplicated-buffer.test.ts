import { describe, expect, test } from 'vitest';
import { DeduplicatedBuffer } from '../../src/cache/deduplicated-buffer.ts';
import { ResponseCache } from '../../src/cache/response-cache.ts';
import { bytesOf, type Chunk } from '../../src/cache/writer.ts';

const [a = Buffer.of(), b = Buffer.of(), c = Buffer.of()] = ['a'.repeat(100), 'é'.repeat(50), ''].map(text =>
  Buffer.from(text),
);

describe('a packed piece', () => {
  test.each<[string, Chunk]>([
    ['a text', '{"é":1}'],
    ['an empty text', ''],
    ['one part', [a]],
    ['parts once each', [a, b]],
    ['parts that come again, at once and later', [a, a, b, c, a, b, b, a]],
    ['no part', []],
  ])('of %s is what it was', (_what, piece) => {
    expect(new DeduplicatedBuffer(piece).unpack()).toEqual(bytesOf(piece));
  });

  test.each([1, 7, 100, 300, 1000])('comes in chunks of %i bytes', size => {
    const piece = [a, a, b, c, a, b];
    const chunks = [...new DeduplicatedBuffer(piece).chunks(size)];
    expect(Buffer.concat(chunks)).toEqual(bytesOf(piece));
    expect(chunks.slice(0, -1).every(chunk => chunk.length === size)).toBe(true);
    expect([...new DeduplicatedBuffer([]).chunks(size)]).toEqual([]);
  });

  test('holds once what stands there often', () => {
    const often = new DeduplicatedBuffer(Array.from({ length: 10 }, () => [a, b]).flat());
    expect(often.unpack()).toHaveLength(2000);
    // Each time, that begins and ends somewhere.
    expect(often.size).toBe(200 + 10 * 8);
  });
});

describe('an answer that was left', () => {
  const make = () => Promise.reject(new Error('It was made again'));

  test('is there for its revision alone', async () => {
    const cache = new ResponseCache(1_000_000);
    cache.prime('question', '1', new DeduplicatedBuffer([a, b, a]));
    expect(cache.bytes).toBeLessThan(300);
    expect((await cache.get('question', '1', make)).bytes).toEqual(bytesOf([a, b, a]));
    expect(cache.bytes).toBeGreaterThanOrEqual(300);
    await expect(cache.get('question', '2', make)).rejects.toThrow('made again');
    expect([cache.hits, cache.misses]).toEqual([1, 1]);
  });

  test('takes the place of an older one', async () => {
    const cache = new ResponseCache(1_000_000);
    await cache.get('question', '1', async () => ({ revision: '1', bytes: a }));
    cache.prime('question', '2', new DeduplicatedBuffer('new'));
    expect((await cache.get('question', '2', make)).bytes.toString()).toBe('new');
  });

  test('leaves one of the same revision, which may be compressed already, as it is', async () => {
    const cache = new ResponseCache(1_000_000);
    const kept = await cache.get('question', '1', async () => ({ revision: '1', bytes: a }));
    cache.prime('question', '1', new DeduplicatedBuffer([a]));
    expect(await cache.get('question', '1', make)).toBe(kept);
  });

  test('is not kept where nothing is', async () => {
    const cache = new ResponseCache(0);
    cache.prime('question', '1', new DeduplicatedBuffer([a]));
    await expect(cache.get('question', '1', make)).rejects.toThrow('made again');
  });
});
