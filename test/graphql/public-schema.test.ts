import { hash } from 'node:crypto';
import { isInternal } from '@carte/operations/contract/internal';
import {
  buildClientSchema,
  buildSchema,
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  parse,
  TypeInfo,
  validate,
  validateSchema,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { loadPublicSchema, loadSchema } from '../../src/graphql/schema.ts';
import { loadOperations } from '../../src/server/operations.ts';
import { documentsOfPages } from '../../src/server/pages/mount.ts';
import { openStream } from '../../support/streams.ts';
import { examples } from '../../web/playground/examples.ts';
import { startApp } from '../support/app.ts';
import { writeSet } from '../support/operations.ts';
import { callOf, pathsOfTypes, queryAt } from '../support/readable.ts';

const app = await startApp();
const store = await app.data.store();
await app.data.menu(store);

type Field = GraphQLField<unknown, unknown>;

const fieldsOf = (type: GraphQLNamedType | undefined): Readonly<Record<string, Field>> =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

/** Every field of a schema, as `Store.name`, and every argument, as `Store.menus(availableAt:)`. */
const coordinatesOf = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap()).flatMap(type =>
    Object.values(fieldsOf(type)).flatMap(field => [
      { coordinate: `${type.name}.${field.name}`, type: type.name, field, argument: undefined },
      ...field.args.map(argument => ({
        ...{ coordinate: `${type.name}.${field.name}(${argument.name}:)`, type: type.name },
        ...{ field, argument },
      })),
    ]),
  );
const namesIn = (schema: GraphQLSchema) => coordinatesOf(schema).map(({ coordinate }) => coordinate);

/** What is marked `@internal`, found in the executable schema. */
const internal = coordinatesOf(loadSchema()).filter(({ field, argument }) => isInternal(argument ?? field));
const isInternalCoordinate = (coordinate: string) => internal.some(each => each.coordinate === coordinate);
const paths = new Map([...pathsOfTypes()].map(([type, path]) => [type.name, { type, path }]));

/** A document that selects something of a type: by a path from a root, or in a fragment where none leads there. */
function documentAt(typeName: string, selection: string): string {
  const found = paths.get(typeName);
  return found
    ? queryAt(found.type, found.path, selection)
    : `{ ...F } fragment F on Query { node(id: "x") { ... on ${typeName} { ${selection} } } }`;
}

/** The names that an error suggests. */
const suggestedBy = (message: string) =>
  [...(/Did you mean (.*)\?$/.exec(message)?.[1] ?? '').matchAll(/"(\w+)/g)].map(([, name]) => name);

const errorsOf = async (query: string): Promise<readonly { message: string; extensions: { code: string } }[]> =>
  (await app.graphql(query)).body.errors;

test('there are internal fields and arguments', () => {
  const coordinates = internal.map(({ coordinate }) => coordinate);
  expect(coordinates).toEqual(expect.arrayContaining(['MenuItem.numericId', 'Query.stores(limit:)']));
});

describe.each(internal)('$coordinate', ({ type, field, argument }) => {
  const select = (name: string) => {
    if (!argument) return documentAt(type, name);
    const call = callOf(field, [argument.name]).replace(`${argument.name}:`, `${name}:`);
    return documentAt(type, isObjectType(getNamedType(field.type)) ? `${call} { __typename }` : call);
  };
  const { name } = argument ?? field;

  test('is unknown at /graphql, whose errors do not name it', async () => {
    for (const [sent, unknown] of [
      [name, name],
      [name, name],
      [`${name}s`, `${name}s`],
      [`x${name}`, `x${name}`],
    ] as const) {
      const errors = await errorsOf(select(sent));
      const expected = argument
        ? `Unknown argument "${unknown}" on field "${type}.${field.name}".`
        : `Cannot query field "${unknown}" on type "${type}".`;
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
      const [{ message } = { message: '' }] = errors;
      expect(message.replace(/ (?:Did you mean|Use) .*/, '')).toBe(expected);
      expect(suggestedBy(message)).not.toContain(name);
    }
  });
});

describe('What /graphql tells of itself has nothing internal:', () => {
  const backtickedIn = (text: string) => new Set([...text.matchAll(/`(\w+)/g)].map(([, name]) => name));

  test('introspection', async () => {
    const { body } = await app.graphql(getIntrospectionQuery());
    expect(namesIn(buildClientSchema(body.data)).filter(isInternalCoordinate)).toEqual([]);
    const directives: readonly { readonly name: string }[] = body.data.__schema.directives;
    expect(directives.map(({ name }) => name)).not.toContain('internal');
    const { body: byName } = await app.graphql('{ __type(name: "MenuItem") { fields { name } } }');
    expect(JSON.stringify(byName)).not.toContain('numericId');
  });

  test.each(['/schema.graphql', '/schema.graphql?for=guests'])('%s', async path => {
    const { text } = await app.get(path, { 'x-api-key': '' });
    const schema = buildSchema(text);
    expect(validateSchema(schema)).toEqual([]);
    expect(namesIn(schema).length).toBeGreaterThan(100);
    expect(namesIn(schema).filter(isInternalCoordinate)).toEqual([]);
    expect(text).not.toContain('@internal');
    // Nor do descriptions and directives.
    const known = new Set(coordinatesOf(schema).map(({ field, argument }) => (argument ?? field).name));
    const names = new Set(
      internal.map(({ field, argument }) => (argument ?? field).name).filter(each => !known.has(each)),
    );
    expect([...backtickedIn(text)].filter(each => each !== undefined && names.has(each))).toEqual([]);
    for (const [, list = ''] of text.matchAll(/slicingArguments: \[([^\]]*)\]/g))
      expect(list.match(/\w+/g)?.filter(each => names.has(each)) ?? []).toEqual([]);
  });

  test('the SDL of a subgraph', async () => {
    const subgraph = await startApp({ subgraph: true });
    const { body } = await subgraph.graphql('{ _service { sdl } }');
    const found: string[] = [];
    visit(parse(body.data._service.sdl), {
      enter(node) {
        if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) return;
        for (const { name, arguments: given = [] } of node.fields ?? []) {
          const coordinate = `${node.name.value}.${name.value}`;
          found.push(coordinate, ...given.map(argument => `${coordinate}(${argument.name.value}:)`));
        }
      },
    });
    expect(found).toEqual(expect.arrayContaining(['MenuItem.price', 'Query.stores(first:)']));
    expect(found.filter(isInternalCoordinate)).toEqual([]);
    expect((await subgraph.get('/schema.graphql')).text).not.toMatch(/numericId|@internal/);
    const { body: refused } = await subgraph.graphql('{ stores(skip: 1) { nodes { items { numericId } } } }');
    expect(refused.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Unknown argument "skip" on field "Query.stores". Use "after" (renamed in 1.0).',
      'Cannot query field "numericId" on type "MenuItem". Use "id" (renamed in 1.0).',
    ]);
  });

  test('the reference of the graph', async () => {
    for (const path of ['/docs/graph/MenuItem', '/docs/graph/Query', '/docs/search.json']) {
      const { status, text } = await app.get(path, { accept: 'text/html' });
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/numericId|MinorUnits/);
    }
  });
});

test('no type at /graphql is reachable by internal fields alone', () => {
  const schema = loadPublicSchema();
  const reached = new Set<GraphQLNamedType>();
  const reach = (type: GraphQLNamedType | null | undefined) => {
    if (!type || reached.has(type)) return;
    reached.add(type);
    if (isAbstractType(type)) for (const each of schema.getPossibleTypes(type)) reach(each);
    if (isObjectType(type) || isInterfaceType(type)) for (const each of type.getInterfaces()) reach(each);
    if (isInputObjectType(type)) for (const { type: of } of Object.values(type.getFields())) reach(getNamedType(of));
    for (const { type: of, args } of Object.values(fieldsOf(type))) {
      for (const each of [of, ...args.map(arg => arg.type)]) reach(getNamedType(each));
    }
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) reach(root);
  for (const { args } of schema.getDirectives()) for (const { type } of args) reach(getNamedType(type));
  const others = Object.values(schema.getTypeMap()).filter(
    type => !reached.has(type) && !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  expect(others.map(({ name }) => name)).toEqual([]);
});

test('the documents of our pages, and the examples of the playground, select nothing internal', () => {
  const texts = [...documentsOfPages(), ...examples.map(({ query }) => query)];
  expect(texts.length).toBeGreaterThan(30);
  const errors = texts.flatMap(text => validate(loadPublicSchema(), parse(text)));
  expect(errors.map(({ message }) => message)).toEqual([]);
});

describe('In place of the text of a query,', () => {
  /** Whether an operation selects anything internal. */
  function selectsInternal(document: DocumentNode): boolean {
    const info = new TypeInfo(loadSchema());
    let found = false;
    const check = (element: Parameters<typeof isInternal>[0] | null | undefined) => {
      if (element && isInternal(element)) found = true;
    };
    visit(
      document,
      visitWithTypeInfo(info, {
        Field: () => check(info.getFieldDef()),
        Argument: () => check(info.getArgument()),
      }),
    );
    return found;
  }
  const codesOf = async (body: object): Promise<string[]> =>
    ((await app.post('/graphql', body)).body.errors ?? []).map(
      ({ extensions }: { extensions: { code: string } }) => extensions.code,
    );

  test('documentId names just the operations that select nothing internal', async () => {
    const operations = app.server.graph.sets.flatMap(set => set.operations);
    const [offered, others] = [false, true].map(isSelected =>
      operations.filter(({ document }) => selectsInternal(document) === isSelected).map(({ name }) => name),
    );
    expect(offered).toEqual(expect.arrayContaining(['getMerchant', 'listStoreMenus']));
    expect(others).toEqual(expect.arrayContaining(['getStore', 'listOrders']));
    for (const documentId of offered ?? [])
      expect([documentId, await codesOf({ documentId })]).not.toEqual([
        documentId,
        expect.arrayContaining([expect.stringMatching(/PERSISTED|VALIDATION/)]),
      ]);
    for (const documentId of others ?? [])
      expect([documentId, await codesOf({ documentId })]).toEqual([documentId, ['PERSISTED_QUERY_NOT_IN_LIST']]);
    const { body } = await app.post('/graphql', { documentId: 'getStore' });
    expect(body.errors[0].message).toBe(
      'No document has the id "getStore", and no operation for /graphql has this name.',
    );
  });

  test('the hash of one that selects something internal leads to the same error', async () => {
    const query = `{ store(id: "${store.id}") { items { numericId } } }`;
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
    expect(await codesOf({ query, extensions })).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(await codesOf({ extensions })).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });
});

test.each(['sse', 'websocket'] as const)('a subscription over %s selects nothing internal', async transport => {
  const query = `subscription { orderEvents(storeId: "${store.id}") { order { priceMinorUnits } } }`;
  const stream = openStream(transport, { url: app.url, key: app.key }, { query });
  const error = await stream.next().then(
    ({ errors }) => errors,
    (reason: unknown) => reason,
  );
  expect(JSON.stringify(error)).toContain('Cannot query field \\"priceMinorUnits\\" on type \\"Order\\".');
  stream.close();
});

describe('A set of an operator', () => {
  const file = `query listPrices($store_id: ID!) @route(path: "/mine/{store_id}") {
  store(id: $store_id) { items @body { ...Price } }
}
fragment Price on MenuItem {
  price: priceMinorUnits
}
query first @route(path: "/mine") {
  stores(limit: 1) { nodes @body { id } }
}`;
  const asking = 'extend schema @interface(title: "Mine", description: "Prices.", tags: [], internal: true)';

  test('is refused if it selects something internal, with each file and line', () => {
    const folder = writeSet('mine', { 'prices.graphql': file });
    const load = () => loadOperations(loadSchema(), { ...readConfig({}), operations: [folder] });
    const hint = 'add @interface(internal: true) to select it, or select something else.';
    expect(load).toThrow(`prices.graphql:5: "MenuItem.priceMinorUnits" is internal; ${hint}`);
    expect(load).toThrow(`prices.graphql:8: "limit" is internal; ${hint}`);
  });

  test('has it where it asks for it', async () => {
    const folder = writeSet('mine', { 'prices.graphql': file, 'interface.graphql': asking });
    const own = await startApp({ operations: [folder] });
    const { id } = await own.data.store();
    await own.data.menu({ id } as typeof store);
    expect((await own.get(`/mine/${id}`)).body).toEqual([{ price: 950 }]);
    expect((await own.get('/mine')).body).toEqual([{ id }]);
    // It is for routes alone.
    const byName = await own.post('/graphql', { documentId: 'listPrices', variables: { store_id: id } });
    expect(byName.body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_IN_LIST');
  });
});
