import { issueKey, revokeKey } from '../../src/auth/keys.ts';
import type { KeyRequest } from '../../src/auth/validate.ts';
import { writePermissions } from '../../src/scope.ts';
import type { startApp } from './app.ts';
import { operatorFork, smallMenu } from './data.ts';

type App = Awaited<ReturnType<typeof startApp>>;

export const unreadable = 'The API key in the header x-api-key is not known, or no longer valid.';

/**
 * Creates two merchants with two stores each, and every kind of key to the first store of the first. Their texts differ and their
 * external ids are equal, so that a leak between them shows.
 */
export async function makeTenants(app: App) {
  const make = async (name: string) => {
    const merchant = await app.data.merchant({ id: `${name}-merchant`, brandName: name });
    for (const [id, text] of [
      [`${name}-store`, name],
      [`${name}-sibling`, `${name} sibling`],
    ] as const) {
      const store = await app.data.store({ id, merchant: merchant.id, city: text, contacts: { text } });
      await app.data.menu(store, smallMenu(text));
      await app.data.orders(store, 1, { id: `${id}-order`, customerName: text });
    }
  };
  await make('mine');
  await make('foreign');
  const key = async (request: Partial<KeyRequest>) => {
    const full = {
      name: 'tenant',
      all: false,
      merchantIds: [],
      storeIds: [],
      permissions: writePermissions,
      ...request,
    };
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
    readOnly: (await key({ ...mine, permissions: [] })).key,
    foreign: (await key({ merchantIds: ['foreign-merchant'] })).key,
    sibling: (await key({ storeIds: ['mine-sibling'] })).key,
  };
}

export type KeyName = keyof Awaited<ReturnType<typeof makeTenants>>;
