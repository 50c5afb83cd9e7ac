import { InvalidInput } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createBatchLoader } from '../database/batch-loader.ts';
import type { ReadAccess } from '../database/pool.ts';
import { compileOnce, prepared, preparedFirst, type Query, Selection } from '../database/query.ts';
import { cutPage, type Page } from '../lists/paging.ts';
import { isOrderInScope, storeScope } from '../scope.ts';
import { type Store, StoreEntity } from '../store/entities.ts';
import type { Search } from './arguments.ts';
import { type Order, OrderEntity, type StoreSummary, storeSummaryFields } from './entities.ts';
import {
  type CountRow,
  countStatement,
  orderColumns,
  type PageRow,
  pageStatement,
  readFlags,
  scanSizeStatement,
} from './statements.ts';
import { isFullScan, isPreparable } from './where-clause.ts';

export type OrderRepository = ReturnType<typeof createOrderRepository>;

/** A requested page of a store's orders; its fields are loaded when they are resolved. */
export interface OrderPage {
  readonly store: Store;
  readonly search: Search;
  /** The fields resolved so far: a page and its count are read in one statement where both are selected. */
  readonly selected: { orders: boolean; count: boolean };
}

interface FoundOrders extends Page<Order> {
  /** The total over all pages, where the page's statement yields it. */
  readonly count: number | undefined;
}

/** Page sizes and sets of statuses make many texts, and every connection keeps those that are prepared. */
const maxPreparedStatements = 200;

/** Orders that a search without an index may compare: some 40 ms of CPU. */
const maxScannedOrders = 50_000;

/** A half of most orders, which is returned as it is stored. */
const lazyJson = ['items'];

export function createOrderRepository({ em, query, primary }: ReadAccess) {
  // A store in scope has all its orders in scope, unless the key has only its own.
  const scope = {
    rules: storeScope,
    relation: 'store',
    subjectOf: (order: Order) => order.storeSummary,
    isIncluded: isOrderInScope,
  };
  const orders = new Selection<Order, StoreSummary & Pick<Store, 'merchant'>>(em, {
    entity: OrderEntity,
    lazyJson,
    scope,
    join: {
      relation: 'store',
      entity: StoreEntity,
      fields: [...storeSummaryFields, 'merchant'],
      attach: (order, store) => {
        if (store) order.storeSummary = store;
      },
    },
  });
  // Without a join: pages are read for stores that were themselves loaded in scope.
  const ordersOfStores = new Selection<Order>(em, { entity: OrderEntity, lazyJson, scope });
  // Planning these statements costs more than running them.
  const prepareFirst = preparedFirst(maxPreparedStatements);
  const prepare = (sql: string, search: Search) => (isPreparable(search) ? prepareFirst(sql) : sql);
  const checkScan = async (storeIds: readonly string[], search: Search) => {
    if (!isFullScan(search)) return;
    const { sql, values } = scanSizeStatement(storeIds, search);
    const [row] = await query<CountRow>(sql, values);
    if (row && row.count > maxScannedOrders) throw tooManyToScan(search, row.count);
  };
  return {
    byId: createBatchLoader(orders, primary),
    primary,

    /** Finds one page of each store, in one statement. */
    async findPages(pages: readonly OrderPage[], search: Search): Promise<FoundOrders[]> {
      const storeIds = pages.map(page => page.store.id);
      await checkScan(storeIds, search);
      const withCount = pages.some(page => page.selected.count);
      const { sql, values } = pageStatement(ordersOfStores.text, { storeIds, search, withCount });
      const rows = await query<PageRow>(prepare(sql, search), values, 'array');
      const byPosition = Map.groupBy(rows, ([position]) => position);
      return pages.map(({ store }, index) => {
        const mapOrder = (row: PageRow) => Object.assign(ordersOfStores.map(row, orderColumns), { loadedStore: store });
        return readPage(byPosition.get(index + 1) ?? [], search, mapOrder);
      });
    },

    /** Counts the matches of each store over all pages, in one statement. */
    async countPages(pages: readonly OrderPage[], search: Search): Promise<CountRow[]> {
      const storeIds = pages.map(page => page.store.id);
      await checkScan(storeIds, search);
      const { sql, values } = countStatement(storeIds, search);
      return query<CountRow>(prepare(sql, search), values);
    },
  };
}

function tooManyToScan({ customerName, customerPhoneContains }: Search, count: number): InvalidInput {
  const [name, reason, advice] =
    customerName === undefined
      ? ['customerPhoneContains', `"${customerPhoneContains}" cannot`, 'give the last digits as customerPhoneEndsWith']
      : ['customerName', `"${customerName}" is too short to`, 'give three letters or digits in a row'];
  const message = `${reason} be searched in ${count} orders: ${advice}, or a time range or statuses with at most ${maxScannedOrders} orders`;
  return new InvalidInput([{ path: ['filter', name], type: 'value_error', message }]);
}

function readPage(rows: readonly PageRow[], search: Search, mapOrder: (row: PageRow) => Order): FoundOrders {
  const [, total] = rows[0] ?? [];
  const [hasNewer, hasOlder] = readFlags(search, rows[0]);
  const hasPrevious = search.pageIndex > 0 || hasNewer === true;
  const { nodes: found, ...page } = cutPage(rows, search, { hasPrevious, hasNext: hasOlder === true });
  // The only row of an empty page has no order.
  const nodes = found.flatMap(row => (row[orderColumns] === null ? [] : [mapOrder(row)]));
  const isLast = rows.length <= search.size;
  return { ...page, nodes, count: total ?? (isLast ? countFromLastPage(nodes.length, search) : undefined) };
}

/** The total follows from a page where the list ends, unless the page is empty or between cursors. */
function countFromLastPage(found: number, { pageIndex, size, after, before }: Search): number | undefined {
  return after || before || (found === 0 && pageIndex > 0) ? undefined : pageIndex * size + found;
}

const metadataOf = (em: EntityManager) => em.getMetadata().get(OrderEntity.meta.class);

/** The columns of an order, without the generated ones. */
const columnsOf = compileOnce(em =>
  metadataOf(em)
    .props.filter(({ lazy }) => !lazy)
    .map(({ name, fieldNames, columnTypes }) => ({ property: name, name: fieldNames[0], type: columnTypes[0] })),
);

/** The list of columns that `toOrder` maps, for `select` and `returning`. */
export const selectedColumns = (em: EntityManager): string =>
  columnsOf(em)
    .map(({ name }) => name)
    .join(', ');

export const toOrder = (em: EntityManager, row: object): Order =>
  em.getDriver().mapResult(row, metadataOf(em)) as Order;

const insertStatement = compileOnce(em => {
  const parameters = columnsOf(em).map(({ type }, index) => `$${index + 1}::${type}`);
  return prepared(`insert into orders (${selectedColumns(em)}) values (${parameters.join(', ')})
    returning revision::float8 as revision`);
});

/** Returns the order with the revision that it gets. */
export async function insertOrder(query: Query, em: EntityManager, order: Order): Promise<Order> {
  const row: Readonly<Record<string, unknown>> = { ...order };
  const values = columnsOf(em).map(({ property, type }) => {
    const value = row[property] ?? null;
    return value !== null && type?.startsWith('json') ? JSON.stringify(value) : value;
  });
  const [inserted] = await query<Pick<Order, 'revision'>>(insertStatement(em), values);
  return { ...order, ...inserted };
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
