import type { EntityManager } from '@mikro-orm/postgresql';
import type { ValidationError } from '../errors.ts';
import type { MerchantDocument, OrderDocument, StoreDocument } from '../generated/import.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { createOrderId, OrderEntity } from '../order/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import { findExistingIds, type Row, upsertRows } from './upsert.ts';

/** A valid document with its line number. */
export interface NumberedDocument<Document> {
  readonly line: number;
  readonly document: Document;
}

export interface LineError {
  readonly line: number;
  readonly error: ValidationError;
}

interface SaveResult {
  /** Number of rows inserted or updated. */
  readonly changed: number;
  readonly errors: readonly LineError[];
}

/** A kind of document that can be imported. */
export interface Kind<Document> {
  /** Name of its input type in schema/import. */
  readonly inputType: string;
  save(em: EntityManager, batch: readonly NumberedDocument<Document>[]): Promise<SaveResult>;
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
    const existing = await findExistingIds(em, MerchantEntity, merchantIds);
    const { valid, errors } = splitByError(batch, ({ merchant }) =>
      merchant && !existing.has(merchant.id) ? notFound(['merchant', 'id'], 'merchant', merchant.id) : undefined,
    );
    const rows = valid.map(({ document: { merchant, ...document } }) => ({
      ...document,
      merchant: merchant?.id ?? null,
    }));
    return { changed: await upsertRows(em, StoreEntity, rows, { preserve: ['createdAt'] }), errors };
  },
};

const orders: Kind<OrderDocument> = {
  inputType: 'OrderDocument',
  async save(em, batch) {
    const storeIds = batch.map(({ document }) => document.store.id);
    const existing = await findExistingIds(em, StoreEntity, storeIds);
    const { valid, errors } = splitByError(batch, ({ store }) =>
      existing.has(store.id) ? undefined : notFound(['store', 'id'], 'store', store.id),
    );
    const rows = valid.map(({ document }) => toOrderRow(document));
    return { changed: await upsertRows(em, OrderEntity, rows), errors };
  },
};

export const kinds = { merchants, stores, orders } as const;
export type KindName = keyof typeof kinds;

function toOrderRow({ store, customer, ...document }: OrderDocument): Row {
  return {
    ...document,
    id: document.id ?? createOrderId(document.createdAt),
    store: store.id,
    customerName: customer.name,
    customerPhone: customer.phone,
  };
}

function splitByError<Document>(
  batch: readonly NumberedDocument<Document>[],
  findError: (document: Document) => ValidationError | undefined,
) {
  const valid: NumberedDocument<Document>[] = [];
  const errors: LineError[] = [];
  for (const numbered of batch) {
    const error = findError(numbered.document);
    if (error) errors.push({ line: numbered.line, error });
    else valid.push(numbered);
  }
  return { valid, errors };
}

function notFound(path: readonly string[], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the id ${JSON.stringify(id)}` };
}
