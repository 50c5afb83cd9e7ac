import type { MikroORM } from '@mikro-orm/postgresql';
import { MerchantEntity } from '../merchant/entities.ts';
import { forkInScope, operatorScope } from '../scope.ts';
import { StoreEntity } from '../store/entities.ts';

interface DemoOptions {
  /** Whether the demo is enabled. */
  readonly demo: boolean;
  readonly onLoad: () => void;
}

/** Loads the demo restaurants into an empty embedded database, unless disabled; returns their API key. */
export async function loadDemoIfEmpty(
  { orm, embedded }: { readonly orm: MikroORM; readonly embedded: boolean },
  { demo, onLoad }: DemoOptions,
): Promise<string | undefined> {
  if (!embedded || !demo || !(await isEmpty(orm))) return undefined;
  onLoad();
  // Imported lazily: later starts do not need it.
  const { loadDemo } = await import('./load.ts');
  return loadDemo(orm);
}

async function isEmpty(orm: MikroORM): Promise<boolean> {
  const em = forkInScope(orm, operatorScope);
  return (await em.count(MerchantEntity)) === 0 && (await em.count(StoreEntity)) === 0;
}
