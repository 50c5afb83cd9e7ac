import { InvalidInput, type ValidationError } from '@carte/base/errors';
import type { MikroORM } from '@mikro-orm/postgresql';
import { graphql } from 'graphql';
import { createReadAccess } from '../../src/database/pool.ts';
import { type UpsertRow, upsertRows } from '../../src/database/save.ts';
import type { StoreOrdersArgs } from '../../src/generated/graph.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { type Order, OrderEntity } from '../../src/order/entities.ts';
import { type AccessScope, operatorScope } from '../../src/scope.ts';
import { createData, operatorFork, order } from './data.ts';

interface Page {
  readonly ids: readonly string[];
  readonly count: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

type Arguments = Partial<StoreOrdersArgs>;

const pageQuery = `query (
  $storeId: ID!, $filter: OrderFilter, $pageIndex: SafeInt, $pageSize: Int, $first: Int, $after: String, $last: Int, $before: String
) {
  store(id: $storeId) {
    orders(
      filter: $filter, pageIndex: $pageIndex, pageSize: $pageSize, first: $first, after: $after, last: $last, before: $before
    ) {
      nodes { id } totalCount pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
    }
  }
}`;

/** Creates functions that query orders, each call with a context of its own. */
export function createOrderGraph(orm: MikroORM) {
  const schema = loadSchema();
  const repositories = createReadAccess(orm).then(createRepositories);
  const data = createData(orm);

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  const query = async (source: string, variables: object = {}, scope: AccessScope = operatorScope): Promise<any> => {
    // Dates are sent as strings.
    const variableValues = JSON.parse(JSON.stringify(variables));
    const contextValue = createContext({ orm, repositories: await repositories }, scope);
    const result = await graphql({ schema, source, variableValues, contextValue });
    const [error] = result.errors ?? [];
    if (error) throw error.originalError ?? error;
    return result.data;
  };

  const search = async (storeId: string, args: Arguments = {}): Promise<Page> => {
    const { store } = await query(pageQuery, { storeId, ...args });
    const { nodes, totalCount: count, pageInfo } = store.orders;
    return { ids: nodes.map((node: { id: string }) => node.id), count, ...pageInfo };
  };

  return {
    query,
    search,

    /** Creates a store with an order for each name, and returns its id. */
    async createStore(orders: Record<string, Partial<Order>>): Promise<string> {
      const { id } = await data.store();
      await saveOrders(
        orm,
        Object.entries(orders).map(([name, given]) => order(id, { id: `${name} of ${id}`, ...given })),
      );
      return id;
    },

    /** Returns the names of the orders that match a filter, in alphabetical order. */
    async findNames(storeId: string, filter: NonNullable<Arguments['filter']>): Promise<string[]> {
      const { ids, count } = await search(storeId, { filter });
      if (count !== ids.length) throw new Error(`${ids.length} orders were found, but ${count} counted`);
      return namesOf(ids).sort();
    },

    /** Returns the validation errors of a search. */
    async findErrors(args: Arguments): Promise<readonly ValidationError[]> {
      const { id } = await data.store();
      const error = await search(id, args).catch((reason: unknown) => reason);
      if (!(error instanceof InvalidInput)) throw new Error('The search was not rejected', { cause: error });
      return error.errors;
    },

    async revision(storeId: string): Promise<number> {
      return (await query('query ($id: ID!) { store(id: $id) { ordersRevision } }', { id: storeId })).store
        .ordersRevision;
    },
  };
}

/** Returns the names under which `createStore` saved orders. */
export const namesOf = (ids: readonly string[]) => ids.map(id => id.replace(/ of .*/, ''));

/** Saves orders of different ids, in one statement. */
export async function saveOrders(orm: MikroORM, orders: readonly Order[]): Promise<void> {
  await upsertRows(
    operatorFork(orm),
    OrderEntity,
    orders.map((each): UpsertRow => ({ ...each })),
  );
}
