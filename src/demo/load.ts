import { createReadStream, readFileSync } from 'node:fs';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { issueKey } from '../auth/keys.ts';
import { operatorScope } from '../auth/scope.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import { documentReader } from '../import/documents.ts';
import type { KindName } from '../import/kinds.ts';
import { runImport } from '../import/run.ts';
import { ValidationErrors } from '../input/validation-errors.ts';
import { replaceMenuConfiguration } from '../menu/replace.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import type { DemoStore } from './order-lines.ts';
import { demoOrders } from './orders.ts';

const folder = new URL('../../demo/', import.meta.url);

async function isEmpty(orm: MikroORM): Promise<boolean> {
  const em = operatorFork(orm);
  return (await em.count(MerchantEntity)) === 0 && (await em.count(StoreEntity)) === 0;
}

/** Loads the demo restaurants into an empty embedded database, unless disabled; returns their API key. */
export async function loadDemoIfEmpty(
  { orm, embedded }: { readonly orm: MikroORM; readonly embedded: boolean },
  { demo }: { readonly demo: boolean },
): Promise<string | undefined> {
  return embedded && demo && (await isEmpty(orm)) ? loadDemo(orm) : undefined;
}

/** Loads the demo restaurants in one transaction, with orders up to `now`; returns an API key for all of them. */
export async function loadDemo(orm: MikroORM, now = new Date()): Promise<string> {
  return operatorFork(orm).transactional(async em => {
    await load(em, 'merchants', createReadStream(new URL('merchants.ndjson', folder)));
    await load(em, 'stores', createReadStream(new URL('stores.ndjson', folder)));
    const stores = await em.find(StoreEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
    const readMenu = documentReader('MenuConfigurationInput');
    const demoStores: DemoStore[] = [];
    for (const store of stores) {
      const body = JSON.parse(readFileSync(new URL(`menus/${store.id}.json`, folder), 'utf8'));
      const menu = readMenu.read(body, [], new ValidationErrors()) as MenuConfigurationInput;
      await replaceMenuConfiguration(em, store, { input: menu });
      demoStores.push({ id: store.id, timezone: store.timezone, menu });
    }
    await load(em, 'orders', toLines(demoOrders({ stores: demoStores, now })));
    const { key } = await issueKey(em, { name: 'demo', all: true, merchantIds: [], storeIds: [], canWrite: true });
    return key;
  });
}

async function load(em: EntityManager, kind: KindName, stream: AsyncIterable<Buffer>): Promise<void> {
  await runImport({
    em,
    kind,
    stream,
    strict: true,
    onError: ({ line, error }) => {
      throw new Error(`demo ${kind}, line ${line}: ${error.path.join('.')}: ${error.message}`);
    },
    onProgress: () => {},
  });
}

async function* toLines(documents: readonly object[]): AsyncGenerator<Buffer> {
  for (const document of documents) yield Buffer.from(`${JSON.stringify(document)}\n`);
}

function operatorFork(orm: MikroORM): EntityManager {
  const em = orm.em.fork();
  em.setFilterParams('scope', { ...operatorScope });
  return em;
}
