import type { EntityManager } from '@mikro-orm/postgresql';
import type { ValidationError } from '../errors.ts';
import type { MerchantDocument, OrderDocument, StoreDocument } from '../generated/import.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { createOrderId, OrderEntity } from '../order/entities.ts';
import { isCurrencyCode } from '../store/currency.ts';
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
    const { valid, errors } = splitByErrors(batch, ({ currency, merchant }) => [
      ...(typeof currency === 'string' && !isCurrencyCode(currency) ? [unknownCurrency(currency)] : []),
      ...(merchant && !existing.has(merchant.id) ? [notFound(['merchant', 'id'], 'merchant', merchant.id)] : []),
    ]);
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
    const { valid, errors } = splitByErrors(batch, ({ store }) =>
      existing.has(store.id) ? [] : [notFound(['store', 'id'], 'store', store.id)],
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

function splitByErrors<Document>(
  batch: readonly NumberedDocument<Document>[],
  findErrors: (document: Document) => readonly ValidationError[],
) {
  const valid: NumberedDocument<Document>[] = [];
  const errors: LineError[] = [];
  for (const numbered of batch) {
    const found = findErrors(numbered.document);
    errors.push(...found.map(error => ({ line: numbered.line, error })));
    if (found.length === 0) valid.push(numbered);
  }
  return { valid, errors };
}

function notFound(path: readonly string[], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the id ${JSON.stringify(id)}` };
}

function unknownCurrency(code: string): ValidationError {
  const message = `${JSON.stringify(code)} is not a currency code of ISO 4217 such as "EUR"`;
  return { path: ['currency'], type: 'value_error', message };
}
