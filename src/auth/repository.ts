import DataLoader from 'dataloader';
import type { ReadAccess } from '../database/pool.ts';
import { anyOf, prepared, Selection } from '../database/query.ts';
import { createList, type ListArguments } from '../lists/entity-list.ts';
import type { RelayConnection } from '../lists/paging.ts';
import { type AccessScope, operatorScope } from '../scope.ts';
import { type ApiKey, ApiKeyEntity } from './entities.ts';
import type { KeyScope } from './keys.ts';

export type ApiKeyConnection = RelayConnection<ApiKey>;

type GrantRow = KeyScope['grants'][number] & { readonly keyId: string };

const grantsStatement = prepared(`
  select key_id as "keyId", merchant_id as merchant, store_id as store from api_key_grant where key_id = any ($1) order by id`);

export type KeyRepository = ReturnType<typeof createKeyRepository>;

/** Reads from the primary: an operator looks at what was just issued. */
export function createKeyRepository({ em, primary }: Pick<ReadAccess, 'em' | 'primary'>) {
  // Without rules, since only keys with access to everything list them.
  const selection = new Selection<ApiKey>(em, { entity: ApiKeyEntity, scope: { rules: [] } });
  const findByIds = selection.compile({ parameters: 1, build: qb => qb.where({ id: anyOf(1) }) });
  return {
    list: createList(primary, { name: 'key', selection }),
    findByIds: (ids: readonly string[]) => findByIds(primary, operatorScope, [ids]),
    findGrants: (keyIds: readonly string[]) => primary<GrantRow>(grantsStatement, [keyIds]),
  };
}

export function keyLoaders(repository: KeyRepository, scope: AccessScope) {
  return {
    list: (args: ListArguments): ApiKeyConnection => repository.list(scope, args),
    /** Of keys that the caller may read. */
    byId: new DataLoader<string, ApiKey | null>(async ids => {
      const found = await repository.findByIds(ids.filter(id => !id.includes('\0')));
      const keys = new Map(found.map(key => [key.id, key]));
      return ids.map(id => keys.get(id) ?? null);
    }),
    grants: new DataLoader<string, KeyScope['grants']>(async ids => {
      const grants = Map.groupBy(await repository.findGrants(ids), ({ keyId }) => keyId);
      return ids.map(id => grants.get(id) ?? []);
    }),
  };
}
