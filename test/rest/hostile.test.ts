import { expect, test } from 'vitest';
import { fuzz } from '../../support/hostile/fuzz.ts';
import type { Target } from '../../support/hostile/probe.ts';
import { differences, observe } from '../../support/hostile/state.ts';
import { sharedApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await sharedApp();

async function makeTarget(): Promise<Target> {
  const store = await app.data.store();
  const other = await app.data.store();
  const [order] = await app.data.orders(store, 30);
  await app.data.menu(store);
  await app.data.menu(other);
  const revoked = await app.newKey({ name: 'revoked' });
  await app.orm.em.fork().execute("update api_key set revoked_at = now() where name = 'revoked'");
  return {
    keys: { write: app.key, read: await app.newKey({ permissions: [] }), revoked },
    storeId: store.id,
    otherStoreId: other.id,
    merchantId: store.merchant ?? '',
    orderId: order?.id ?? '',
    body: fullBody(),
  };
}

test('500 hostile requests get the right responses, and change nothing', {
  timeout: 120_000,
}, async () => {
  const target = await makeTarget();
  const before = await observe(app.url, target);
  const { counts, violations, stored } = await fuzz({
    url: app.url,
    target,
    requests: 500,
    seed: 'test',
    stalls: false,
    // The tests share two cores; drills/hostile.ts allows 3 s.
    slowestMs: 60_000,
  });
  expect(violations).toEqual([]);
  expect(differences(before, await observe(app.url, target), target, stored)).toEqual([]);
  expect([...counts.keys()]).toEqual(
    expect.arrayContaining(['200', '400', '401', '404', '405', '415', '422', 'raw 400']),
  );
});
