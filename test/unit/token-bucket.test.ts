import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { TokenBucket } from '../../src/scheduling/token-bucket.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

test('gives its burst at once, and then as much as time has refilled', () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 });
  expect([1, 2, 3, 4].map(() => bucket.tryTake())).toEqual([true, true, true, false]);
  expect(bucket.waitMs(1)).toBe(500);
  vi.advanceTimersByTime(499);
  expect(bucket.tryTake()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(bucket.tryTake()).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect([1, 2, 3, 4].map(() => bucket.tryTake())).toEqual([true, true, true, false]);
});

test('on credit, each caller waits for those before', () => {
  const bucket = new TokenBucket({ burst: 100, perSecond: 100 });
  expect([bucket.take(100), bucket.take(50), bucket.take(50)]).toEqual([0, 500, 1_000]);
  expect(bucket.tryTake(1)).toBe(false);
  vi.advanceTimersByTime(1_010);
  expect(bucket.tryTake(1)).toBe(true);
});

test('more than the burst is given by a full bucket', () => {
  const bucket = new TokenBucket({ burst: 10, perSecond: 10 });
  expect(bucket.tryTake(30)).toBe(true);
  expect(bucket.waitMs(30)).toBe(3_000);
  vi.advanceTimersByTime(3_000);
  expect(bucket.tryTake(30)).toBe(true);
});
