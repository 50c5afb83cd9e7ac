import type { MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from '../auth/entities.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { forkInScope, operatorScope } from '../scope.ts';
import { StoreEntity } from '../store/entities.ts';

interface Database {
  readonly orm: MikroORM;
  readonly embedded: boolean;
}

/** Loads the demo restaurants into an empty embedded database, unless disabled. */
export async function loadDemoIfEmpty({ orm, embedded }: Database, demo: boolean, onLoad: () => void): Promise<void> {
  const em = forkInScope(orm, operatorScope);
  if (!embedded || !demo || (await em.count(MerchantEntity)) + (await em.count(StoreEntity)) > 0) return;
  onLoad();
  // Imported lazily, here and below: later starts do not need it.
  const { loadRestaurants } = await import('./load.ts');
  await em.transactional(tx => loadRestaurants(tx, new Date()));
}

/** Issues the API key of the demo if the database has no key: a start that failed after it had loaded the demo has printed none. */
export async function issueFirstKey({ orm, embedded }: Database, demo: boolean): Promise<string | undefined> {
  const em = forkInScope(orm, operatorScope);
  if (!embedded || !demo || (await em.count(ApiKeyEntity)) > 0) return undefined;
  const { demoIds, issueDemoKey } = await import('./load.ts');
  const hasDemo = (await em.count(MerchantEntity, { id: { $in: demoIds('merchants') } })) > 0;
  return hasDemo ? issueDemoKey(em) : undefined;
}
