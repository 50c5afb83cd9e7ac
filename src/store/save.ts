import type { ValidationError } from '@carte/base/errors';
import { shorten } from '@carte/base/validation';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import {
  findExistingIds,
  type NotSaved,
  referenceNotFound,
  type SaveResult,
  saveDocuments,
  upsertRows,
} from '../database/save.ts';
import type { SaveStoreInput } from '../generated/graph.ts';
import type { StoreDocument } from '../generated/import.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { isCurrencyCode } from './currency.ts';
import { StoreEntity } from './entities.ts';
import { isTimezone, suggestTimezone } from './timezone.ts';

const notSaved: NotSaved<InferEntity<typeof StoreEntity>, StoreDocument> = {
  menuRevision: true,
  revision: true,
  ordersRevision: true,
  dueInSeconds: true,
  ordering: true,
  guestOrders: true,
  preparationMinutes: true,
  specialHours: true,
  nameFolded: true,
};

/** A line of an import, or an input of the graph, which has the address in an object. */
type SavedStore = StoreDocument & Pick<SaveStoreInput, 'address'>;

/** Inserts stores, or replaces the fields of those that differ, by id; their menus and orders stay. */
export async function saveStores(em: EntityManager, inputs: readonly SavedStore[]): Promise<SaveResult> {
  const merchantIds = inputs.flatMap(({ merchant }) => merchant?.id ?? []);
  const existing = await findExistingIds(em, MerchantEntity, merchantIds);
  const findErrors = ({ currency, timezone, merchant }: StoreDocument) => [
    ...(typeof currency === 'string' && !isCurrencyCode(currency) ? [unknownCurrency(currency)] : []),
    ...(typeof timezone === 'string' && !isTimezone(timezone) ? [unknownTimezone(timezone)] : []),
    ...(merchant && !existing.has(merchant.id) ? [referenceNotFound(['merchant', 'id'], 'merchant', merchant.id)] : []),
  ];
  const upsert = (valid: readonly SavedStore[]) => {
    const rows = valid.map(({ merchant, phoneNumbers, address, ...input }) => ({
      ...input,
      ...address,
      merchant: merchant?.id ?? null,
      phoneNumbers: phoneNumbers?.map(({ createdAt: createDateTime, ...number }) => ({ ...number, createDateTime })),
    }));
    return upsertRows(em, StoreEntity, rows, { preserve: ['createdAt'], notSaved });
  };
  return saveDocuments(inputs, findErrors, upsert);
}

function unknownCurrency(code: string): ValidationError {
  const message = `${JSON.stringify(code)} is not a currency code of ISO 4217 such as "EUR"`;
  return { path: ['currency'], type: 'value_error', message };
}

/** Its menus would be available by UTC. */
function unknownTimezone(name: string): ValidationError {
  const message = `${JSON.stringify(shorten(name))} is not a timezone of IANA.${suggestTimezone(shorten(name))}`;
  return { path: ['timezone'], type: 'value_error', message };
}
