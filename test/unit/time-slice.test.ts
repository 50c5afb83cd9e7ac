import { setImmediate as nextTurn } from 'node:timers/promises';
import { runAtOnce, runInSlices, type Steps, TimeSlice } from '@carte/base/time-slice';
import { describe, expect, test } from 'vitest';
import { countTurns } from '../support/turns.ts';

/** Keeps the processor busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function* workInSteps(count: number, ms: number): Steps<number> {
  for (let step = 0; step < count; step++) {
    work(ms);
    yield;
  }
  return count;
}

describe('TimeSlice', () => {
  test('is over after some milliseconds of one turn, and begins again in the next', async () => {
    const slice = new TimeSlice();
    expect(slice.isOver).toBe(false);
    work(6);
    expect(slice.isOver).toBe(true);
    await nextTurn();
    expect(slice.isOver).toBe(false);
    work(6);
    await slice.yield();
    expect(slice.isOver).toBe(false);
  });

  test('work that waits is resumed in turn, one slice of it in each turn of the event loop', async () => {
    const log: string[] = [];
    const run = async (name: string) => {
      const slice = new TimeSlice();
      for (let round = 0; round < 3; round++) {
        await slice.yield();
        work(6);
        log.push(name);
      }
    };
    const { turns } = await countTurns(() => Promise.all(['a', 'b', 'c', 'd'].map(run)));
    expect(log.join('')).toBe('abcdabcdabcd');
    expect(turns).toBeGreaterThan(10);
  });

  test('work with several parts has one place among the others, and its last part goes on first', async () => {
    const log: string[] = [];
    const run = async (name: string, slice: TimeSlice) => {
      for (let round = 0; round < 2; round++) {
        await slice.yield();
        work(6);
        log.push(name);
      }
    };
    const one = new TimeSlice();
    const parts = ['a', 'b', 'c'].map(name => run(name, one));
    await Promise.all([...parts, run('d', new TimeSlice())]);
    expect(log.join('')).toBe('cdcdbbaa');
  });

  test('what needs little time does not take a turn each', async () => {
    const yieldOnce = () => new TimeSlice().yield();
    const { turns } = await countTurns(() => Promise.all(Array.from({ length: 1000 }, yieldOnce)));
    expect(turns).toBeLessThan(1_000);
  });
});

describe('runInSlices', () => {
  test('runs short work at once', () => {
    expect(runInSlices(workInSteps(100, 0))).toBe(100);
  });

  test('runs long work in several turns, with the same result', async () => {
    const { result, turns } = await countTurns(() => runInSlices(workInSteps(100, 1)));
    expect(result).toBe(runAtOnce(workInSteps(100, 0)));
    expect(turns).toBeGreaterThan(5);
  });

  test('rejects with the error of a later slice', async () => {
    function* failing(): Steps<never> {
      yield* workInSteps(50, 1);
      throw new RangeError('late');
    }
    await expect(runInSlices(failing())).rejects.toThrow('late');
    expect(() => runInSlices(workInSteps(0, 0))).not.toThrow();
  });
});
