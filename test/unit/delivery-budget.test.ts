import { TooManyRequests } from '@carte/base/errors';
import { expect, test } from 'vitest';
import { createDeliveryBudget } from '../../src/graphql/subscriptions/delivery-budget.ts';
import type { Share } from '../../src/scheduling/current-request.ts';

const [busy, other, key] = ['busy', 'other', 'key'].map(id => ({ id, isGuest: false })) as [Share, Share, Share];
const { signal } = new AbortController();
const live = { isReplayed: false, signal };
const replayed = { isReplayed: true, signal };

/** The order in which promises resolve. */
async function orderOf(promises: Readonly<Record<string, Promise<void>>>): Promise<string[]> {
  const done: string[] = [];
  await Promise.all(Object.entries(promises).map(([name, promise]) => promise.then(() => done.push(name))));
  return done;
}

test('a key that delivers more than its share waits, and others do not', async () => {
  const budget = createDeliveryBudget({ costPerSecond: 1_000, countRequest: undefined });
  await budget.pay(busy, 1_000, live);
  const order = await orderOf({ busy: budget.pay(busy, 100, live), other: budget.pay(other, 100, live) });
  expect(order).toEqual(['other', 'busy']);
});

test('one guest does not delay another, all guests together wait, and a key waits for neither', async () => {
  const budget = createDeliveryBudget({ costPerSecond: 1_000, countRequest: undefined });
  const guests = Array.from({ length: 12 }, (_, number) => ({ id: `page 10.0.0.${number}`, isGuest: true }));
  const [first = busy, second = busy, ...others] = guests;
  await budget.pay(first, 100, live);
  expect(await orderOf({ first: budget.pay(first, 10, live), second: budget.pay(second, 100, live) })).toEqual([
    'second',
    'first',
  ]);
  const all = Promise.all(others.map(guest => budget.pay(guest, 100, live)));
  expect(await orderOf({ guests: all.then(() => {}), key: budget.pay(key, 1_000, live) })).toEqual(['key', 'guests']);
});

test('replayed events of a key wait behind its live ones', async () => {
  const budget = createDeliveryBudget({ costPerSecond: 1_000, countRequest: undefined });
  await budget.pay(key, 1_000, replayed);
  const missed = budget.pay(key, 100, replayed);
  expect(await orderOf({ missed, live: budget.pay(key, 150, live) })).toEqual(['live', 'missed']);
});

test('what an event has cost beyond its selection delays the next one', async () => {
  const budget = createDeliveryBudget({ costPerSecond: 1_000, countRequest: undefined });
  await budget.pay(key, 100, live);
  budget.charge(key, 1_100);
  const begun = performance.now();
  await budget.pay(key, 100, live);
  expect(performance.now() - begun).toBeGreaterThan(150);
});

test('each 1,000 of cost is a request of the key, and beyond the rate limit its streams wait', async () => {
  const counted: string[] = [];
  let isExceeded = false;
  const countRequest = async (keyId: string) => {
    counted.push(keyId);
    if (isExceeded) throw new TooManyRequests('…', { retryAfterSeconds: 0.2 });
  };
  const budget = createDeliveryBudget({ costPerSecond: 1e9, countRequest });
  for (let event = 0; event < 25; event++) await budget.pay(key, 100, live);
  expect(counted).toEqual(['key', 'key']);
  isExceeded = true;
  let isPaid = false;
  const paying = budget.pay(key, 500, live).then(() => {
    isPaid = true;
  });
  await expect.poll(() => counted.length).toBe(4);
  expect(isPaid).toBe(false);
  isExceeded = false;
  await paying;
  expect(counted).toHaveLength(5);
});

test('a stream that is aborted waits no longer', async () => {
  const controller = new AbortController();
  const countRequest = async () => {
    throw new TooManyRequests('…', { retryAfterSeconds: 60 });
  };
  const slow = createDeliveryBudget({ costPerSecond: 1, countRequest: undefined });
  const exceeded = createDeliveryBudget({ costPerSecond: 1e9, countRequest });
  const waits = [slow.pay(key, 1_000, { ...live, signal: controller.signal })];
  waits.push(slow.pay(key, 1_000, { ...replayed, signal: controller.signal }));
  waits.push(exceeded.pay(key, 1_000, { ...live, signal: controller.signal }));
  controller.abort();
  expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
