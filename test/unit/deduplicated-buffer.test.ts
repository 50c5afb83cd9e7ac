import { runAtOnce } from '@carte/base/time-slice';
import { type Chunk, DeduplicatedBuffer, JsonWriter, toBuffers } from '@carte/operations/execution/json-writer';
import { describe, expect, test } from 'vitest';

const deduplicate = (chunk: Chunk) => runAtOnce(DeduplicatedBuffer.from(chunk));

const a = Buffer.from('a'.repeat(100));
const b = Buffer.from('é'.repeat(50));
const empty = Buffer.alloc(0);

describe('DeduplicatedBuffer', () => {
  test.each<[string, Chunk]>([
    ['a string', '{"é":1}'],
    ['an empty string', ''],
    ['one buffer', [a]],
    ['distinct buffers', [a, b]],
    ['repeated buffers, adjacent and apart', [a, a, b, empty, a, b, b, a]],
    ['no buffer', []],
  ])('returns the bytes of %s', (_name, chunk) => {
    expect(runAtOnce(deduplicate(chunk).toBuffer())).toEqual(Buffer.concat(toBuffers(chunk)));
  });

  test.each([1, 7, 100, 300, 1000])('yields slices of %i bytes', size => {
    const chunk = [a, a, b, empty, a, b];
    const slices = [...deduplicate(chunk).slices(size)];
    expect(Buffer.concat(slices)).toEqual(Buffer.concat(toBuffers(chunk)));
    expect(slices.slice(0, -1).every(slice => slice.length === size)).toBe(true);
    expect([...deduplicate([]).slices(size)]).toEqual([]);
  });

  test('stores a repeated buffer once', () => {
    const repeated = deduplicate(Array.from({ length: 10 }, () => [a, b]).flat());
    expect(runAtOnce(repeated.toBuffer())).toHaveLength(2000);
    // The distinct bytes, and two offsets for each repetition.
    expect(repeated.size).toBe(200 + 10 * 8);
  });

  test('stores once what several objects contain, however short they are', () => {
    const group = [Buffer.from('g'.repeat(1024))];
    const items = Array.from({ length: 10 }, (_, at) => {
      const writer = new JsonWriter();
      for (const chunk of [`{"id":${at},"group":`, group, '}']) writer.write(chunk);
      return writer.toChunk();
    });
    expect(deduplicate(items.flatMap(toBuffers)).size).toBeLessThan(2 * 1024);
  });
});
