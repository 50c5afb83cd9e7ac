import type { EntityManager } from '@mikro-orm/postgresql';
import type { ValidationError } from '../errors.ts';
import type { MerchantDocument, OrderDocument, StoreDocument } from '../generated/import.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { createOrderId, OrderEntity } from '../order/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import { existingIds, type Row, upsertRows } from './upsert.ts';

/** A document that was read without errors, with the number of its line. */
export interface Numbered<Document> {
  readonly line: number;
  readonly document: Document;
}

export interface LineError {
  readonly line: number;
  readonly error: ValidationError;
}

export interface Saved {
  /** Rows that are new or differ from what was stored. */
  readonly changed: number;
  readonly errors: readonly LineError[];
}

/** A kind of document that can be imported: how it is called in schema/import, and how a batch of it is saved. */
export interface Kind<Document> {
  readonly inputType: string;
  save(em: EntityManager, batch: readonly Numbered<Document>[]): Promise<Saved>;
}

const merchants: Kind<MerchantDocument> = {
  inputType: 'MerchantDocument',
  async save(em, batch) {
    const rows = batch.map(({ document }) => ({ ...document }));
    return { changed: await upsertRows(em, MerchantEntity, rows), errors: [] };
  },
};

const stores: Kind<StoreDocument> = {
  inputType: 'StoreDocument',
  async save(em, batch) {
    const merchantIds = batch.flatMap(({ document }) => document.merchant?.id ?? []);
    const known = await existingIds(em, MerchantEntity, merchantIds);
    const { good, errors } = partition(batch, ({ merchant }) =>
      merchant && !known.has(merchant.id) ? notFound(['merchant', 'id'], 'merchant', merchant.id) : undefined,
    );
    const rows = good.map(({ document: { merchant, ...document } }) => ({
      ...document,
      merchant: merchant?.id ?? null,
    }));
    return { changed: await upsertRows(em, StoreEntity, rows, { keep: ['createdAt'] }), errors };
  },
};

const orders: Kind<OrderDocument> = {
  inputType: 'OrderDocument',
  async save(em, batch) {
    const known = await existingIds(
      em,
      StoreEntity,
      batch.map(({ document }) => document.store.id),
    );
    const { good, errors } = partition(batch, ({ store }) =>
      known.has(store.id) ? undefined : notFound(['store', 'id'], 'store', store.id),
    );
    return {
      changed: await upsertRows(
        em,
        OrderEntity,
        good.map(({ document }) => orderRow(document)),
      ),
      errors,
    };
  },
};

export const kinds = { merchants, stores, orders } as const;
export type KindName = keyof typeof kinds;

function orderRow({ store, customer, ...document }: OrderDocument): Row {
  return {
    ...document,
    id: document.id ?? createOrderId(document.createdAt),
    store: store.id,
    customerName: customer.name,
    customerPhone: customer.phone,
  };
}

function partition<Document>(
  batch: readonly Numbered<Document>[],
  faultOf: (document: Document) => ValidationError | undefined,
) {
  const good: Numbered<Document>[] = [];
  const errors: LineError[] = [];
  for (const numbered of batch) {
    const error = faultOf(numbered.document);
    if (error) errors.push({ line: numbered.line, error });
    else good.push(numbered);
  }
  return { good, errors };
}

function notFound(path: readonly string[], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the id ${JSON.stringify(id)}` };
}
