import type { ValidationError } from '@carte/base/errors';
import { findUnstorable } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/query.ts';
import type { StockInput } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import {
  changedKinds,
  compileChange,
  createFieldChange,
  type FieldChangeOptions,
  type FieldChanges,
  type ListName,
} from './field-changes.ts';

type StockChanges = FieldChanges<StockInput>;

const given = changedKinds.map(({ name }) => `select '${name}' as subject, "externalId", until from "${name} given"`);

/** Sets the time of each entry at which it is in stock again, or ends the one that is set. */
const stockStatement = compileChange({
  properties: { items: ['inStock'], modifierItems: ['inStock'] },
  furtherFields: { until: 'timestamptz' },
  furtherChanges: `
    given as (${given.join(' union all ')}),
    due as (
      insert into due_time (store_id, subject, external_id, due_at)
      select $1, subject, "externalId", until from given where until is not null
      on conflict (store_id, subject, external_id) do update set due_at = excluded.due_at
    ),
    settled as (
      delete from due_time d using given g
      where d.store_id = $1 and d.subject = g.subject and d.external_id = g."externalId" and g.until is null
    ),`,
});

const changeStock = createFieldChange('STOCK', stockStatement);

/** Marks entities as sold out or in stock. */
export function setStock(
  em: EntityManager,
  store: Store,
  options: StockChanges & FieldChangeOptions,
): ReturnType<typeof changeStock> {
  return changeStock(em, store, { ...options, found: [...checkTimes(options, new Date())] });
}

function* checkTimes(changes: StockChanges, now: Date): Generator<ValidationError> {
  for (const { name } of changedKinds) {
    for (const [index, { inStock, until }] of changes[name].entries()) {
      if (!until) continue;
      const path = [name, index, 'until'];
      if (inStock) yield { path, type: 'value_error', message: 'only what is sold out is in stock again at a time' };
      if (until <= now) {
        const message = `${until.toISOString()} is not in the future; it is ${now.toISOString()} now`;
        yield { path, type: 'value_error', message };
      }
      yield* findUnstorable(until, path);
    }
  }
}

/**
 * Puts back in stock what is due, in a transaction that has locked the store; what is gone, or back already, is left out. The statement is
 * that of `setStock`.
 */
export async function restock(tx: EntityManager, storeId: string, due: readonly StockDue[]): Promise<void> {
  const lists = changedKinds.map(({ name }) =>
    JSON.stringify(
      due.filter(({ subject }) => subject === name).map(({ externalId }) => ({ externalId, inStock: true })),
    ),
  );
  await queryIn(tx)(stockStatement(tx), [storeId, ...lists]);
}

/** An entity that is sold out until a time. */
export interface StockDue {
  readonly subject: ListName;
  readonly externalId: string;
}
