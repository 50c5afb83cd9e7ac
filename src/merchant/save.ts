import type { EntityManager } from '@mikro-orm/postgresql';
import { type NotSaved, type SaveResult, saveDocuments, upsertRows } from '../database/save.ts';
import type { SaveMerchantInput } from '../generated/graph.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

const notSaved: NotSaved<Merchant, SaveMerchantInput> = {};

/** Inserts merchants, or replaces those that differ, by id. */
export function saveMerchants(em: EntityManager, inputs: readonly SaveMerchantInput[]): Promise<SaveResult> {
  return saveDocuments(
    inputs,
    () => [],
    valid => upsertRows(em, MerchantEntity, valid, { preserve: ['createdAt'], notSaved }),
  );
}
