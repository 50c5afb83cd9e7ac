import { issueKey, type KeyRequest, revokeKey } from '../../src/auth/keys.ts';
import type { startApp } from './app.ts';
import { operatorFork } from './data.ts';

type App = Awaited<ReturnType<typeof startApp>>;

export const unreadable = 'The API key in the header x-api-key is not known, or no longer valid.';

/** Two merchants, the first with two stores, and every kind of key that there is to the first one's first store. */
export async function makeTenants(app: App) {
  const make = async (name: string) => {
    const merchant = await app.data.merchant({ id: `${name}-merchant`, brandName: name });
    const stores = [
      await app.data.store({ id: `${name}-store`, merchant: merchant.id, city: name }),
      await app.data.store({ id: `${name}-sibling`, merchant: merchant.id, city: name }),
    ];
    for (const store of stores) {
      await app.data.menu(store);
      await app.data.orders(store, 1, { id: `${store.id}-order` });
    }
  };
  await make('mine');
  await make('foreign');
  const key = async (request: Partial<KeyRequest>) => {
    const full = { name: 'tenant', all: false, merchantIds: [], storeIds: [], canWrite: true, ...request };
    return issueKey(operatorFork(app.orm), full);
  };
  const mine = { merchantIds: ['mine-merchant'] };
  const revoked = await key(mine);
  await revokeKey(operatorFork(app.orm), revoked.id);
  const expired = await key(mine);
  await app.orm.em
    .fork()
    .execute("update api_key set expires_at = now() - interval '1 second' where id = ?", [expired.id]);
  return {
    none: '',
    unknown: `carte_${'x'.repeat(43)}`,
    expired: expired.key,
    revoked: revoked.key,
    readOnly: (await key({ ...mine, canWrite: false })).key,
    foreign: (await key({ merchantIds: ['foreign-merchant'] })).key,
    sibling: (await key({ storeIds: ['mine-sibling'] })).key,
  };
}

export type KeyName = keyof Awaited<ReturnType<typeof makeTenants>>;
