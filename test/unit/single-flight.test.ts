import { expect, test } from 'vitest';
import { SingleFlight } from '../../src/cache/single-flight.ts';

/** Work that ends when it is told to; each turn answers its number. */
function createWork() {
  const turns: PromiseWithResolvers<void>[] = [];
  const work = async () => {
    const turn = Promise.withResolvers<void>();
    const number = turns.push(turn);
    await turn.promise;
    return number;
  };
  return { turns, work, untilBegun: (count: number) => expect.poll(() => turns.length).toBe(count) };
}

test('who asks before the work begins shares it, who asks later gets the next', async () => {
  const { turns, work, untilBegun } = createWork();
  const shared = new SingleFlight(work);
  const first = [shared.get(), shared.get()];
  await untilBegun(1);
  const later = [shared.get(), shared.get()];
  turns[0]?.resolve();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await untilBegun(2);
  turns[1]?.resolve();
  expect(await Promise.all(later)).toEqual([2, 2]);
});

test('work that takes long is not waited for', async () => {
  const { turns, work, untilBegun } = createWork();
  const shared = new SingleFlight(work);
  const slow = shared.get();
  await untilBegun(1);
  const other = shared.get();
  await untilBegun(2);
  turns[1]?.resolve();
  expect(await other).toBe(2);
  turns[0]?.resolve();
  expect(await slow).toBe(1);
});

test('a failure is that of all who shared the work, and of nobody else', async () => {
  const { turns, work, untilBegun } = createWork();
  const shared = new SingleFlight(work);
  const failing = Promise.allSettled([shared.get(), shared.get()]);
  await untilBegun(1);
  turns[0]?.reject(new Error('lost'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = shared.get();
  await untilBegun(2);
  turns[1]?.resolve();
  expect(await next).toBe(2);
});

test('it is said when nobody is left who has asked', async () => {
  const { turns, work, untilBegun } = createWork();
  let idle = 0;
  const shared = new SingleFlight(work, () => {
    idle += 1;
  });
  const first = shared.get();
  await untilBegun(1);
  const second = shared.get();
  turns[0]?.resolve();
  await first;
  await untilBegun(2);
  expect(idle).toBe(0);
  turns[1]?.resolve();
  await second;
  await expect.poll(() => idle).toBe(1);
});
