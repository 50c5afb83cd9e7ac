import { setImmediate as nextTurn } from 'node:timers/promises';
import { TooManyRequests } from '@carte/base/errors';
import { describe, expect, test } from 'vitest';
import { FairQueue, type FairQueueOptions } from '../../src/scheduling/fair-queue.ts';

const createQueue = (options: Partial<FairQueueOptions> = {}) =>
  new FairQueue({
    width: 2,
    perKey: 2,
    maxWaiting: 100,
    maxWaitMs: 10_000,
    createError: () => new TooManyRequests('Too many'),
    ...options,
  });

/** Adds tasks that run until they are released; returns the order in which they start. */
function start(queue: FairQueue, keys: readonly string[]) {
  const started: string[] = [];
  const running: string[] = [];
  for (const key of keys) {
    const onStart = () => {
      started.push(key);
      running.push(key);
    };
    // Some tests leave tasks waiting.
    Promise.resolve(queue.tryEnter(key) || queue.enter(key)).then(onStart, () => {});
  }
  const releaseNext = async () => {
    const key = running.shift();
    if (key !== undefined) queue.leave(key);
    await nextTurn();
  };
  return { started, releaseNext };
}

describe('FairQueue', () => {
  test('takes waiting tasks from each key in turn', async () => {
    const queue = createQueue({ width: 1 });
    const { started, releaseNext } = start(queue, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
    await nextTurn();
    for (let task = 0; task < 7; task++) await releaseNext();
    expect(started.join('')).toBe('aabcaba');
    expect(queue.counts).toEqual({ running: 0, waiting: 0, rejected: 0 });
  });

  test('leaves slots to other keys', async () => {
    const queue = createQueue({ width: 4, perKey: 2 });
    const { started, releaseNext } = start(queue, ['a', 'a', 'a', 'b']);
    await nextTurn();
    expect(started.join('')).toBe('aab');
    await releaseNext();
    expect(started.join('')).toBe('aaba');
  });

  test('rejects the tasks of a key beyond its place in the queue, and no others', async () => {
    const queue = createQueue({ width: 1, maxWaiting: 2 });
    start(queue, ['a', 'a', 'a']);
    await expect(queue.enter('a')).rejects.toThrow(TooManyRequests);
    start(queue, ['b', 'b']);
    expect(queue.counts).toEqual({ running: 1, waiting: 4, rejected: 1 });
  });

  test('rejects a task that waits for too long', async () => {
    const queue = createQueue({ width: 1, maxWaitMs: 10 });
    expect(queue.tryEnter('a')).toBe(true);
    expect(queue.tryEnter('b')).toBe(false);
    await expect(queue.enter('b')).rejects.toThrow(TooManyRequests);
    expect(queue.counts).toEqual({ running: 1, waiting: 0, rejected: 1 });
    queue.leave('a');
    expect(queue.counts.running).toBe(0);
  });

  test('frees the slot of a task that fails', async () => {
    const queue = createQueue();
    await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(queue.counts.running).toBe(0);
  });

  test('knows which keys exceed their share', async () => {
    const queue = createQueue({ width: 10, perKey: 10 });
    start(queue, ['a', 'a', 'a', 'b']);
    expect(['a', 'b', 'c'].map(key => queue.exceedsShare(key))).toEqual([true, false, false]);
    expect(createQueue().exceedsShare('a')).toBe(true);
  });
});
