import type { ValidationError } from '@carte/base/errors';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import {
  findExistingIds,
  type NotSaved,
  referenceNotFound,
  type SaveResult,
  saveDocuments,
  upsertRows,
} from '../database/save.ts';
import type { OrderDocument } from '../generated/import.ts';
import { saveMerchants } from '../merchant/save.ts';
import { createOrderId, OrderEntity } from '../order/entities.ts';
import { checkAmounts, checkTotal, serviceOf } from '../order/service.ts';
import { StoreEntity } from '../store/entities.ts';
import { saveStores } from '../store/save.ts';

export interface Kind {
  /** Name of its input type, in the graph or in schema/import. */
  readonly inputType: string;
  save(em: EntityManager, documents: readonly unknown[]): Promise<SaveResult>;
}

/** Generated columns, the revision, and who has placed an order, which an import leaves as it is. */
const notSaved: NotSaved<InferEntity<typeof OrderEntity>, ReturnType<typeof toOrderRow>> = {
  customerNameFolded: true,
  phoneReversed: true,
  placedBy: true,
  placedByGuest: true,
  revision: true,
};

/** What documents of 0.1.0 do not have: those that set a status do not delete an address. */
const optional = ['serviceType', 'service', 'steps'];

async function saveOrders(em: EntityManager, documents: readonly OrderDocument[]): Promise<SaveResult> {
  const storeIds = documents.map(({ store }) => store.id);
  const existing = await findExistingIds(em, StoreEntity, storeIds);
  return saveDocuments(
    documents,
    document => [...checkOrder(document, existing)],
    valid => upsertRows(em, OrderEntity, valid.map(toOrderRow), { notSaved, optional }),
  );
}

export const kinds = {
  merchants: { inputType: 'SaveMerchantInput', save: saveMerchants },
  stores: { inputType: 'StoreDocument', save: saveStores },
  orders: { inputType: 'OrderDocument', save: saveOrders },
} as const;
export type KindName = keyof typeof kinds;

function* checkOrder(document: OrderDocument, storeIds: ReadonlySet<string>): Generator<ValidationError> {
  const { store, price } = document;
  if (!storeIds.has(store.id)) yield referenceNotFound(['store', 'id'], 'store', store.id);
  yield* checkAmounts(document);
  yield* checkTotal({ price, service: serviceOf(document) }, ['discounts']);
}

function toOrderRow(document: OrderDocument) {
  const { store, customer, steps } = document;
  return {
    ...document,
    steps,
    service: serviceOf(document),
    id: document.id ?? createOrderId(document.createdAt),
    store: store.id,
    customerName: customer.name,
    customerPhone: customer.phone,
    // A line that changes an anonymized order may bring data of the guest.
    anonymizedAt: null,
  };
}
