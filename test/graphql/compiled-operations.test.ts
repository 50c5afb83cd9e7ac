import { compileRoute } from '@carte/operations/compile-route';
import { type Operation, rootFieldOf } from '@carte/operations/contract/contract';
import type { FieldExtensions } from '@carte/operations/contract/mapped-values';
import { compileOperation } from '@carte/operations/execution/compile';
import { toBuffers } from '@carte/operations/execution/json-writer';
import { fragmentsOf, selectedFields } from '@carte/operations/execution/selected-fields';
import {
  type DocumentNode,
  execute,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { isCacheable } from '../../src/execution/cacheable.ts';
import { createCompiledQueries } from '../../src/execution/compiled-queries.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadPublicSchema, loadSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract.ts';
import { operatorScope } from '../../src/scope.ts';
import { createDatabase } from '../support/database.ts';
import { demoStores } from '../support/demo.ts';
import { createQueryGenerator } from '../support/random-queries.ts';

const orm = await createDatabase();
await loadDemo(orm, new Date('2026-03-14T19:20:00Z'));
/** Routes select what is internal, too; queries do not. */
const fullSchema = loadSchema();
const schema = loadPublicSchema();
const dependencies = { orm, repositories: createRepositories(await createReadAccess(orm)) };
const newContext = () => createContext(dependencies, operatorScope, { transport: 'REST' });

const run = (
  document: DocumentNode,
  variableValues: Readonly<Record<string, unknown>>,
  operationName: string | null = null,
  of = schema,
) => execute({ schema: of, document, variableValues, operationName, contextValue: newContext() });

function coerce(document: DocumentNode, variables: Readonly<Record<string, unknown>>, operationName?: string | null) {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(fullSchema, definitions, variables);
  if (!coerced) throw errors?.[0];
  return coerced;
}

const contract = loadContract(fullSchema);
const orderIds = (await orm.em.fork().execute<{ id: string }[]>('select id from orders order by id')).map(
  ({ id }) => id,
);
const stores = demoStores();

/** The body that an operation's result has by the derived type: what is null is left out, or has its default. */
function shape(value: unknown, type: GraphQLOutputType): unknown {
  const named = getNamedType(type);
  if (!isObjectType(named) || value === null) return value;
  if (Array.isArray(value)) return value.map(item => shape(item, named));
  const object = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(named.getFields()).flatMap(([key, field]) => {
      const { default: fallback, constant }: FieldExtensions = field.extensions;
      const found = constant ?? object[key] ?? fallback;
      return found === undefined || found === null ? [] : [[key, shape(found, field.type)]];
    }),
  );
}

function variablesOf({ name, document }: Operation): Readonly<Record<string, unknown>>[] {
  const lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
    listOrders: [
      {},
      { page_size: 2, page_index: 1 },
      { statuses: ['READY', 'PENDING'] },
      { customer_name: 'a', start_time: '2026-03-14T00:00:00Z' },
      { page_index: 1000 },
    ],
    listStores: [{}, { limit: 2, skip: 1 }, { limit: 0 }],
    listMerchants: [{}, { limit: 1 }, { skip: 50 }],
  };
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const has = (variable: string) => definitions.some(definition => definition.variable.name.value === variable);
  const merchants = [...new Set(stores.map(({ merchant }) => merchant.id))];
  const subjects = [
    ...(has('store_service_id')
      ? [...stores.map(({ id }) => id), 'no such'].map(id => ({ store_service_id: id }))
      : []),
    ...(has('order_service_id') ? [...orderIds.slice(0, 20), 'no such'].map(id => ({ order_service_id: id })) : []),
    ...(has('merchant_service_id') ? [...merchants, 'no such'].map(id => ({ merchant_service_id: id })) : []),
  ];
  return (subjects.length > 0 ? subjects : [{}]).flatMap(subject =>
    (lists[name] ?? [{}]).map(list => ({ ...subject, ...list })),
  );
}

/** A configuration as the variables of the post, which are in snake_case. */
const toVariables = (menu: object) =>
  Object.fromEntries(
    Object.entries(menu).map(([name, list]) => [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), list]),
  );

test.each(contract.operations.map(operation => [operation.name, operation] as const))(
  '%s has the body that graphql-js resolves',
  async (_name, operation) => {
    const { type } = rootFieldOf(contract, operation);
    const compiled = compileRoute(fullSchema, contract, operation);
    for (const given of variablesOf(operation)) {
      const menu = stores.find(({ id }) => id === given.store_service_id)?.menu;
      const variables = operation.kind === 'mutation' ? { ...given, ...toVariables(menu ?? { items: [] }) } : given;
      const executed = await run(operation.document, variables, null, fullSchema);
      expect(executed.errors).toBeUndefined();
      const body = operation.bodyPath.reduce<unknown>(
        (value, key) => (value as Readonly<Record<string, unknown>> | null)?.[key] ?? null,
        executed.data,
      );
      const result = await compiled(coerce(operation.document, variables), newContext());
      const text = result && Buffer.concat(toBuffers(result.body)).toString();
      expect(text).toBe(body === null ? null : JSON.stringify(shape(body, type)));
    }
  },
);

/** `RANDOM_QUERIES=10000` for a long run. */
const queries = Number(process.env.RANDOM_QUERIES ?? 100);
const timeout = 60_000 + queries * 60;

const sources = {
  seed: 20260314,
  storeIds: stores.map(({ id }) => id),
  merchantIds: [...new Set(stores.map(({ merchant }) => merchant.id))],
  orderIds,
  externalIds: stores.flatMap(({ menu }) =>
    Object.values(menu).flatMap((list: readonly { readonly externalId: string }[]) =>
      list.slice(0, 3).map(({ externalId }) => externalId),
    ),
  ),
};

/** The cursor of the end of a page of events differs each time. */
const withoutCursors = (text: string) => text.replaceAll(/"[\w-]{22}"/g, '"…"');

test(`${queries} random queries have the results of graphql-js, and fail where they do`, { timeout }, async () => {
  const generate = createQueryGenerator(schema, sources);
  const counts = { cacheable: 0, fails: 0, isNull: 0, bytes: 0 };
  for (let index = 0; index < queries; index++) {
    const { text, variables } = generate();
    const document = parse(text);
    expect(validate(schema, document), text).toEqual([]);
    const executed = await run(document, variables);
    const fragments = fragmentsOf(document);
    const [root] = selectedFields(getOperationAST(document)?.selectionSet.selections ?? [], fragments);
    if (!root) throw new Error('The query has no root field');
    const compiled = compileOperation(schema, { document, kind: 'query', body: [root], etags: [] });
    const rendered = compiled(coerce(document, variables), newContext());
    if (isCacheable(schema, document, undefined)) counts.cacheable++;
    if (executed.errors) {
      counts.fails++;
      await expect(rendered, text).rejects.toThrow();
      continue;
    }
    const result = await rendered;
    const body = result ? Buffer.concat(toBuffers(result.body)).toString() : 'null';
    if (!result) counts.isNull++;
    counts.bytes += body.length;
    expect(withoutCursors(`{${JSON.stringify(root.key)}:${body}}`), text).toBe(
      withoutCursors(JSON.stringify(executed.data)),
    );
  }
  // The generator reaches what it is for.
  expect(counts.cacheable).toBeGreaterThan(queries / 8);
  expect(counts.fails).toBeGreaterThan(2);
  expect(counts.fails + counts.isNull).toBeLessThan(queries / 3);
  expect(counts.bytes / queries).toBeGreaterThan(1000);
});

test(`${queries} queries with several root fields, introspection, @skip and @include have the response of graphql-js when they are sent again`, {
  timeout,
}, async () => {
  const generate = createQueryGenerator(schema, sources, { isMixed: true });
  const findCompiled = createCompiledQueries(schema);
  const counts = { compiled: 0, fails: 0, conditional: 0, introspection: 0 };
  for (let index = 0; index < queries; index++) {
    const { text, variables, operationName } = generate();
    const document = parse(text);
    expect(validate(schema, document), text).toEqual([]);
    const operation = getOperationAST(document, operationName);
    if (!operation) throw new Error('The document has no operation');
    const coerced = coerce(document, variables, operationName);
    const find = () => findCompiled({ document, operation }, coerced);
    expect(find()).toBeUndefined();
    const compiled = find();
    if (!compiled) continue;
    expect(find()).toBe(compiled);
    counts.compiled++;
    if (text.includes('@')) counts.conditional++;
    if (/__(schema|type)\b/.test(text)) counts.introspection++;
    const [executed, rendered] = [await run(document, variables, operationName), compiled(coerced, newContext())];
    if (executed.errors) {
      counts.fails++;
      await expect(rendered, text).rejects.toThrow();
      continue;
    }
    expect(withoutCursors((await rendered).toString()), text).toBe(withoutCursors(`${JSON.stringify(executed)}\n`));
  }
  expect(counts.compiled).toBeGreaterThan(queries * 0.9);
  expect(counts.conditional).toBeGreaterThan(queries / 3);
  expect(counts.introspection).toBeGreaterThan(queries / 10);
  expect(counts.fails).toBeGreaterThan(0);
  expect(counts.fails).toBeLessThan(queries / 3);
});

test('nodes of all types have the response of graphql-js, and fail where they do', async () => {
  const found = await run(
    parse(
      `{ stores(first: 2) { nodes { nodeId merchant { nodeId } items { nodeId modifierGroups { nodeId } } orders(first: 2) { nodes { nodeId } } } } }`,
    ),
    {},
  );
  const ids = [...JSON.stringify(found.data).matchAll(/"nodeId":"([^"]+)"/g)].map(([, id]) => id);
  const text = `query ($ids: [ID!]!, $first: Int!) {
    nodes(ids: $ids) { __typename nodeId ...Named ... on Node { again: nodeId } ... on Order { status store { nodeId } } }
    node(id: "${ids[0]}") { ... on Store { orders(first: $first) { totalCount } } ... on Order { id } }
  }
  fragment Named on Node { ... on Store { id name { text } } ... on MenuItem { name { text } price { decimal } } ... on Merchant { brandName } }`;
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const [operation] = document.definitions as readonly OperationDefinitionNode[];
  if (!operation) throw new Error('The document has no operation');
  const findCompiled = createCompiledQueries(schema);
  const render = async (variables: Readonly<Record<string, unknown>>) =>
    findCompiled({ document, operation }, variables)?.(variables, newContext());
  expect(await render({})).toBeUndefined();
  const variables = { ids: [...ids.slice(0, 90), 'no such'], first: 2 };
  expect(`${await render(variables)}`).toBe(`${JSON.stringify(await run(document, variables))}\n`);
  await expect(render({ ids, first: 1_000 })).rejects.toThrow('at most 100');
});

test('queries are compiled for each selection, up to a size, and none that wait; nothing else is', () => {
  const findCompiled = createCompiledQueries(schema, { isResolvedOnce: ({ name }) => name === 'events' });
  const find = (text: string, variables = {}) => {
    const document = parse(text);
    const [operation] = document.definitions as readonly OperationDefinitionNode[];
    if (!operation) throw new Error('The document has no operation');
    findCompiled({ document, operation }, variables);
    return (values = variables) => findCompiled({ document, operation }, values);
  };
  const conditional = find(
    'query ($all: Boolean!) { stores(first: 1) { nodes { id name @include(if: $all) { text } } } }',
    {
      all: true,
    },
  );
  expect(conditional()).toBe(conditional());
  expect(conditional({ all: false })).not.toBe(conditional());
  const fragments = Array.from(
    { length: 11 },
    (_, at) => `fragment F${at} on Store { id ...F${at + 1} ...F${at + 1} }`,
  );
  const expanded = `{ store(id: "a") { ...F0 } } ${fragments.join(' ')} fragment F11 on Store { id }`;
  const others = ['{ events(waitSeconds: 1) { next } }', 'mutation { deleteStore(id: "a") { id } }', expanded];
  expect(others.map(text => find(text)())).toEqual(others.map(() => undefined));
});
