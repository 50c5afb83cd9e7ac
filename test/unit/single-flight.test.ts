import { expect, test } from 'vitest';
import { SingleFlight } from '../../src/scheduling/batch-schedule.ts';

/** A function whose runs the test settles; each resolves to its number. */
function createRuns() {
  const runs: PromiseWithResolvers<void>[] = [];
  const run = async () => {
    const deferred = Promise.withResolvers<void>();
    const number = runs.push(deferred);
    await deferred.promise;
    return number;
  };
  return { runs, run, untilStarted: (count: number) => expect.poll(() => runs.length).toBe(count) };
}

test('callers before the start of a run share it, later callers share the next', async () => {
  const { runs, run, untilStarted } = createRuns();
  const flight = new SingleFlight(run);
  const first = [flight.get(), flight.get()];
  await untilStarted(1);
  const later = [flight.get(), flight.get()];
  runs[0]?.resolve();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await untilStarted(2);
  runs[1]?.resolve();
  expect(await Promise.all(later)).toEqual([2, 2]);
});

test('a slow run does not delay the next one', async () => {
  const { runs, run, untilStarted } = createRuns();
  const flight = new SingleFlight(run);
  const slow = flight.get();
  await untilStarted(1);
  const other = flight.get();
  await untilStarted(2);
  runs[1]?.resolve();
  expect(await other).toBe(2);
  runs[0]?.resolve();
  expect(await slow).toBe(1);
});

test('a rejection reaches all callers of the run and no other', async () => {
  const { runs, run, untilStarted } = createRuns();
  const flight = new SingleFlight(run);
  const failing = Promise.allSettled([flight.get(), flight.get()]);
  await untilStarted(1);
  runs[0]?.reject(new Error('lost'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = flight.get();
  await untilStarted(2);
  runs[1]?.resolve();
  expect(await next).toBe(2);
});

test('onIdle is called when no caller is left', async () => {
  const { runs, run, untilStarted } = createRuns();
  let idle = 0;
  const flight = new SingleFlight(run, () => {
    idle += 1;
  });
  const first = flight.get();
  await untilStarted(1);
  const second = flight.get();
  runs[0]?.resolve();
  await first;
  await untilStarted(2);
  expect(idle).toBe(0);
  runs[1]?.resolve();
  await second;
  await expect.poll(() => idle).toBe(1);
});
