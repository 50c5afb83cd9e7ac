import { runAtOnce } from '@carte/base/time-slice';
import type { Chunk } from '@carte/operations/execution/json-writer';
import { DeduplicatedBuffer } from '@carte/operations/execution/json-writer';
import type { RenderedResponse } from '@carte/operations/http/response-cache';
import { describe, expect, test } from 'vitest';
import { ResponseCache } from '../../src/cache/response-cache.ts';
import { currentRequest, type Share } from '../../src/scheduling/current-request.ts';

const deduplicate = (chunk: Chunk) => runAtOnce(DeduplicatedBuffer.from(chunk));

const a = Buffer.from('a'.repeat(100));
const b = Buffer.from('b'.repeat(100));
const rejectRender = () => Promise.reject(new Error('rendered again'));

describe('ResponseCache', () => {
  test('counts compressed representations in its size', async () => {
    const cache = new ResponseCache(1_000_000);
    const entry = await cache.get('key', '1', async () => ({ revision: '1', bytes: a }));
    const before = cache.bytes;
    const compressed = await entry.encoded('gzip', task => task());
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

const as = <T>(share: Share, work: () => T): T => currentRequest.run({ statements: 0, trace: undefined, share }, work);
const pos: Share = { id: 'pos', isGuest: false };
const office: Share = { id: 'office', isGuest: false };
const [guest, otherGuest] = [1, 2].map(number => ({ id: `page 10.0.0.${number}`, isGuest: true })) as [Share, Share];
const render = async () => ({ revision: '1', bytes: a });

describe('callers of one response', () => {
  test('do not wait for the turn of the first', async () => {
    const cache = new ResponseCache(1_000_000);
    void as(guest, () => cache.get('key', '1', rejectRender, () => new Promise(() => {})));
    for (const share of [otherGuest, pos]) expect((await as(share, () => cache.get('key', '1', render))).bytes).toBe(a);
  });

  test('share a rendering that has begun, but keys none of guests', async () => {
    const cache = new ResponseCache(1_000_000);
    const slow = Promise.withResolvers<RenderedResponse>();
    const first = as(guest, () => cache.get('key', '1', () => slow.promise));
    const second = as(otherGuest, () => cache.get('key', '1', rejectRender));
    expect((await as(pos, () => cache.get('key', '1', async () => ({ revision: '1', bytes: b })))).bytes).toBe(b);
    slow.resolve({ revision: '1', bytes: a });
    expect((await first).bytes).toBe(a);
    expect(await second).toBe(await first);
    expect((await as(office, () => cache.get('other', '1', render))).bytes).toBe(a);
  });

  test('get what was rendered while they waited for their turn', async () => {
    const cache = new ResponseCache(1_000_000);
    const turn = Promise.withResolvers<void>();
    const waiting = as(guest, () => cache.get('key', '1', rejectRender, task => turn.promise.then(task)));
    await as(pos, () => cache.get('key', '1', render));
    turn.resolve();
    expect((await waiting).bytes).toBe(a);
  });

  test('render in the share of none of them', async () => {
    const cache = new ResponseCache(1_000_000);
    let share: unknown = 'unknown';
    await as(guest, () =>
      cache.get('key', '1', async () => {
        share = currentRequest.getStore()?.share;
        return { revision: '1', bytes: a };
      }),
    );
    expect(share).toBeUndefined();
  });
});

describe('the parts of the cache', () => {
  const large = Buffer.alloc(10_000);
  const fill = async (cache: ResponseCache, share: Share, name: string, count: number) => {
    for (let number = 0; number < count; number++) {
      await as(share, () => cache.get(`${name} ${number}`, '1', async () => ({ revision: '1', bytes: large })));
    }
  };
  const cachedOf = async (cache: ResponseCache, name: string, count: number) => {
    const isCached = (number: number) =>
      Promise.resolve(as(office, () => cache.get(`${name} ${number}`, '1', rejectRender))).then(
        () => true,
        () => false,
      );
    return (await Promise.all(Array.from({ length: count }, (_, number) => isCached(number)))).filter(Boolean).length;
  };

  test('a caller who fills it displaces nothing within the fair part of another', async () => {
    const cache = new ResponseCache(1_000_000);
    await fill(cache, pos, 'pos', 40);
    await fill(cache, office, 'office', 200);
    expect(await cachedOf(cache, 'pos', 40)).toBe(40);
    expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    await fill(cache, pos, 'more', 60);
    expect(await cachedOf(cache, 'office', 200)).toBeGreaterThan(45);
  });

  test('guests have a quarter together, and one of them displaces no other', async () => {
    const cache = new ResponseCache(1_000_000);
    await fill(cache, otherGuest, 'other', 5);
    await fill(cache, guest, 'varied', 200);
    expect(await cachedOf(cache, 'other', 5)).toBe(5);
    expect(cache.bytes).toBeLessThanOrEqual(250_000);
  });
});

describe('an observed revision', () => {
  const observe = (cache: ResponseCache, share: Share, key: string, revision: string) =>
    as(share, () => cache.observe(key, revision));

  test('is known when it comes again, whoever observes it', () => {
    const cache = new ResponseCache(1_000_000);
    expect(observe(cache, pos, 'list', '1')).toBe(false);
    expect(observe(cache, office, 'list', '1')).toBe(true);
    expect(observe(cache, pos, 'list', '2')).toBe(false);
    expect(observe(cache, pos, 'list', '1')).toBe(false);
  });

  test('replaces a response of another one', async () => {
    const cache = new ResponseCache(1_000_000);
    observe(cache, pos, 'list', '1');
    await as(pos, () => cache.get('list', '1', render));
    expect([observe(cache, pos, 'list', '1'), cache.has('list')]).toEqual([true, true]);
    expect([observe(cache, pos, 'list', '2'), cache.has('list')]).toEqual([false, false]);
    expect(cache.bytes).toBe(0);
  });

  test('is known as long as its response is kept', async () => {
    const cache = new ResponseCache(1_000_000);
    observe(cache, pos, 'list', '1');
    await as(pos, () => cache.get('list', '1', render));
    for (let number = 0; number < 50_000; number++) observe(cache, pos, `list ${number}`, '1');
    expect([observe(cache, pos, 'list', '1'), cache.has('list')]).toEqual([true, true]);
  });

  test('stays, however many another caller has', () => {
    const cache = new ResponseCache(1_000_000);
    const many = Array.from({ length: 50_000 }, (_, number) => `list ${number}`);
    for (const share of [pos, otherGuest]) observe(cache, share, `list of ${share.id}`, '1');
    for (const share of [office, guest]) for (const key of many) observe(cache, share, `${share.id} ${key}`, '1');
    for (const share of [pos, otherGuest]) expect(observe(cache, share, `list of ${share.id}`, '1')).toBe(true);
    for (const share of [office, guest]) expect(observe(cache, share, `${share.id} ${many[0]}`, '1')).toBe(false);
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
