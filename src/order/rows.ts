import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared, type Query } from '../database/query.ts';
import { type Order, OrderEntity } from './entities.ts';

const metadataOf = (em: EntityManager) => em.getMetadata().get(OrderEntity.meta.class);

/** The columns of an order, without the generated ones. */
const columnsOf = (em: EntityManager) =>
  metadataOf(em)
    .props.filter(({ lazy }) => !lazy)
    .map(({ name, fieldNames, columnTypes }) => ({ property: name, name: fieldNames[0], type: columnTypes[0] }));

/** The list of columns that `toOrder` maps, for `select` and `returning`. */
export const selectedColumns = (em: EntityManager): string =>
  columnsOf(em)
    .map(({ name }) => name)
    .join(', ');

export const toOrder = (em: EntityManager, row: object): Order =>
  em.getDriver().mapResult(row, metadataOf(em)) as Order;

const insertStatement = compileOnce(em => {
  const parameters = columnsOf(em).map(({ type }, index) => `$${index + 1}::${type}`);
  return prepared(`insert into orders (${selectedColumns(em)}) values (${parameters.join(', ')})`);
});

export async function insertOrder(query: Query, em: EntityManager, order: Order): Promise<void> {
  const row: Readonly<Record<string, unknown>> = { ...order };
  const parameterOf = (property: string, type: string | undefined) => {
    const value = row[property] ?? null;
    return value !== null && type?.startsWith('json') ? JSON.stringify(value) : value;
  };
  await query(
    insertStatement(em),
    columnsOf(em).map(({ property, type }) => parameterOf(property, type)),
  );
}

const findStatement = compileOnce(em =>
  prepared(`select ${selectedColumns(em)} from orders where id = $1 and store_id = $2`),
);

/** Finds an order of a store; undefined if it was deleted. */
export async function findOrder(
  query: Query,
  em: EntityManager,
  { id, storeId }: { readonly id: string; readonly storeId: string },
): Promise<Order | undefined> {
  const [row] = await query<object>(findStatement(em), [id, storeId]);
  return row && toOrder(em, row);
}
