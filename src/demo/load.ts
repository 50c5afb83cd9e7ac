import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { ValidationErrors } from '@carte/base/validation';
import { compileReader } from '@carte/operations/input/reader';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { issueKey } from '../auth/keys.ts';
import { menuDocumentType } from '../import/documents.ts';
import type { KindName } from '../import/kinds.ts';
import { runImport } from '../import/run.ts';
import type { ConfigurationInput } from '../menu/kinds.ts';
import { replaceMenuConfiguration } from '../menu/replace.ts';
import { forkInScope, operatorScope, writePermissions } from '../scope.ts';
import { StoreEntity } from '../store/entities.ts';
import type { DemoStore } from './order-lines.ts';
import { demoOrders } from './orders.ts';

const folder = new URL('../../demo/', import.meta.url);

/** Loads the demo restaurants in one transaction, with orders up to `now`; returns an API key for all of them. */
export async function loadDemo(orm: MikroORM, now = new Date()): Promise<string> {
  return forkInScope(orm, operatorScope).transactional(async em => {
    await loadRestaurants(em, now);
    return issueDemoKey(em);
  });
}

export async function issueDemoKey(em: EntityManager): Promise<string> {
  const permissions = [...writePermissions, 'ADMIN'] as const;
  return (await issueKey(em, { name: 'demo', all: true, merchantIds: [], storeIds: [], permissions })).key;
}

/** The ids of the demo's merchants or stores. */
export function demoIds(kind: 'merchants' | 'stores'): string[] {
  const lines = readFileSync(new URL(`${kind}.ndjson`, folder), 'utf8')
    .trim()
    .split('\n');
  return lines.map(line => JSON.parse(line).id);
}

/**
 * Inserts the merchants, stores, menus and orders of the demo, or updates those that exist. Returns the numbers of merchants and stores that
 * were new or different, the stores' menu revisions, and the number of orders.
 */
export async function loadRestaurants(em: EntityManager, now: Date) {
  const merchants = await load(em, 'merchants', createReadStream(new URL('merchants.ndjson', folder)));
  const stores = await load(em, 'stores', createReadStream(new URL('stores.ndjson', folder)));
  const readMenu = compileReader(menuDocumentType());
  const demoStores: DemoStore[] = [];
  const menuRevisions = new Map<string, number>();
  const where = { id: { $in: demoIds('stores') } };
  for (const store of await em.find(StoreEntity, where, { orderBy: { createdAt: 'asc', id: 'asc' } })) {
    const body = JSON.parse(readFileSync(new URL(`menus/${store.id}.json`, folder), 'utf8'));
    const menu = readMenu.read(body, [], new ValidationErrors()) as ConfigurationInput;
    const configuration = await replaceMenuConfiguration(em, store, { input: menu, source: 'DEMO' });
    if (configuration) menuRevisions.set(store.id, configuration.revision);
    demoStores.push({ id: store.id, timezone: store.timezone, menu });
  }
  const lines = demoOrders(demoStores, now).map(order => Buffer.from(`${JSON.stringify(order)}\n`));
  const orders = await load(em, 'orders', Readable.from(lines));
  return { merchants, stores, menuRevisions, orders };
}

/** Returns the number of documents that were new or different. */
async function load(em: EntityManager, kind: KindName, stream: AsyncIterable<Buffer>): Promise<number> {
  const { changed } = await runImport({
    em,
    kind,
    stream,
    strict: true,
    onError: ({ line, error }) => {
      throw new Error(`demo ${kind}, line ${line}: ${error.path.join('.')}: ${error.message}`);
    },
    onProgress: () => {},
  });
  return changed;
}
