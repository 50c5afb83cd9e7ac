import { readFileSync } from 'node:fs';
import type { MikroORM } from '@mikro-orm/postgresql';
import { graphql } from 'graphql';
import { CompiledQuery } from 'kysely';
import { createReadAccess } from '../src/database/pool.ts';
import { Selection } from '../src/database/query.ts';
import type { StoreOrdersArgs } from '../src/generated/graph.ts';
import { createContext, createRepositories } from '../src/graphql/context.ts';
import { loadSchema } from '../src/graphql/schema.ts';
import { checkSearch } from '../src/order/arguments.ts';
import { type Order, OrderEntity } from '../src/order/entities.ts';
import { countStatement, pageStatement } from '../src/order/statements.ts';
import { operatorScope } from '../src/scope.ts';

export type Arguments = Partial<StoreOrdersArgs>;

export interface Figures {
  /** Milliseconds of CPU for a page and its count: in this process, and in the database (NaN if unknown). */
  readonly server: number;
  readonly database: number;
  /** Maximum number of rows of any plan node. */
  readonly rows: number;
  readonly count: number;
}

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const query = `query ($storeId: ID!, $filter: OrderFilter, $pageIndex: SafeInt!, $pageSize: Int!) {
  store(id: $storeId) { orders(filter: $filter, pageIndex: $pageIndex, pageSize: $pageSize) {
    pageIndex pageSize totalCount nodes {
      createdAt id store { createdAt id name { text } externalId } customer { name phone } status priceMinorUnits taxMinorUnits items readyBy isRead
      inPos customerComments completedAt
    }
  } }
}`;

const rounds = 20;

/** Measures requests as the service executes them, without HTTP. */
export async function createMeter(orm: MikroORM) {
  const schema = loadSchema();
  const em = orm.em.fork();
  const source = { orm, repositories: createRepositories(await createReadAccess(orm)) };
  const orders = new Selection<Order>(em, { entity: OrderEntity, scope: { rules: [] } });
  const run = async <Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await em.getKysely().executeQuery(CompiledQuery.raw(sql, [...values]) as CompiledQuery<Row>)).rows;
  const [backend] = await run<{ pid: number }>('select pg_backend_pid() as pid');

  const worstNode = async ({ sql, values }: ReturnType<typeof pageStatement>) => {
    const explain = `explain (analyze, timing off, format json) ${sql}`;
    const [row] = await run<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(explain, values);
    return Math.max(...(row?.['QUERY PLAN'] ?? []).map(({ Plan }) => mostRows(Plan)));
  };

  return async (storeId: string, given: Arguments): Promise<Figures> => {
    const args = { pageIndex: 0, pageSize: 50, ...given };
    const variableValues = JSON.parse(JSON.stringify({ storeId, ...args }));
    const request = async (): Promise<string> => {
      const contextValue = createContext(source, operatorScope);
      const { data, errors } = await graphql({ schema, source: query, variableValues, contextValue });
      if (errors?.[0]) throw errors[0];
      return JSON.stringify(data);
    };
    for (let round = 0; round < 5; round++) await request();
    const [server, database] = [process.cpuUsage(), cpuOf(backend?.pid)];
    for (let round = 0; round < rounds; round++) await request();
    const used = process.cpuUsage(server);
    const usedThere = cpuOf(backend?.pid) - database;
    const search = checkSearch(args);
    return {
      server: (used.user + used.system) / 1000 / rounds,
      database: usedThere / rounds,
      rows: Math.max(
        await worstNode(pageStatement(orders.text, { storeIds: [storeId], search })),
        await worstNode(countStatement([storeId], search)),
      ),
      count: JSON.parse(await request()).store.orders.totalCount,
    };
  };
}

function mostRows(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const met = Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
  return Math.max(met, ...(node.Plans ?? []).map(mostRows));
}

/** Returns the milliseconds of CPU that a process has used; Linux only. */
function cpuOf(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN;
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)) / 1e6;
}
