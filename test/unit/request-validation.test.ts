import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocumentCache, createRequestValidator, parametersOf } from '../../src/graphql/request-validation.ts';
import { buildPublicGraph } from '../support/graph.ts';

const schema = buildPublicGraph();
const createDocuments = (maxTokens: number) => createDocumentCache({ schema, maxTokens, introspection: true });
const validateRequest = createRequestValidator({ schema, documents: createDocuments(1000), limits: { cost: 50 } });
const codes = (parameters: unknown) => validateRequest(parameters).errors.map(error => error.extensions.code);

/** The parameters of a GET, whose URL has `variables` and `extensions` as JSON. */
const inUrl = (query: Readonly<Record<string, string>>) => parametersOf({ method: 'GET', body: undefined, query });

const text = 'query Stores($n: Int!) { stores(first: $n) { nodes { id } } }';

describe('A valid request', () => {
  test('has its parsed document and cost', () => {
    expect(validateRequest({ query: '{ stores(first: 3) { nodes { id } } }' })).toMatchObject({ errors: [], cost: 4 });
    expect(validateRequest({ query: text, variables: { n: 7 } })).toMatchObject({
      errors: [],
      cost: 8,
      parsed: { text },
    });
  });

  test('may have variables as JSON, as in a URL', () => {
    expect(validateRequest(inUrl({ query: text, variables: '{"n":7}' }))).toMatchObject({
      errors: [],
      cost: 8,
      parsed: { text },
    });
  });

  test.each<[what: string, parameters: unknown]>([
    ['no parameters', undefined],
    ['a list of requests', [{ query: '{ stores { nodes { id } } }' }]],
    ['no query', {}],
    ['a query that is not a string', { query: 5 }],
  ])('without a query is left for Apollo to reject: %s', (_what, parameters) => {
    expect(validateRequest(parameters)).toEqual({ errors: [] });
  });

  test.each([[5], ['{'], ['[]'], [[]], [null]])(
    'with variables that are not an object is left for Apollo to reject: %j',
    variables => {
      expect(validateRequest({ query: '{ stores(first: 3) { nodes { id } } }', variables })).toMatchObject({
        errors: [],
        cost: 4,
      });
    },
  );
});

describe('A request is rejected', () => {
  test.each<[what: string, parameters: unknown, code: string]>([
    ['whose query exceeds the cost limit', { query: '{ stores { nodes { id } } }' }, 'QUERY_TOO_COMPLEX'],
    ['whose variable makes it exceed the cost limit', { query: text, variables: { n: 51 } }, 'QUERY_TOO_COMPLEX'],
    [
      'whose variable in a URL makes it exceed the cost limit',
      { query: text, variables: '{"n":51}' },
      'QUERY_TOO_COMPLEX',
    ],
    [
      'whose operationName selects an operation over the limit',
      {
        query: `query Small { stores(first: 1) { nodes { id } } } ${text}`,
        operationName: 'Stores',
        variables: { n: 51 },
      },
      'QUERY_TOO_COMPLEX',
    ],
  ])('%s', (_what, parameters, code) => {
    expect(codes(parameters)).toEqual([code]);
  });

  test.each([
    [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, 'PERSISTED_QUERY_NOT_FOUND'],
    [
      inUrl({ query: '', extensions: '{"persistedQuery":{"version":1,"sha256Hash":"x"}}' }),
      'PERSISTED_QUERY_NOT_FOUND',
    ],
    [{ query: text, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, 'BAD_REQUEST'],
    [{ query: text, extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
    [{ query: text, extensions: { persistedQuery: { version: 1 } } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
    [{ query: text, extensions: { persistedQuery: 'x' } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ])('with an unknown or invalid persisted query: %j', (parameters, code) => {
    expect(codes(parameters)).toEqual([code]);
  });

  test.each<[what: string, query: string, code: string]>([
    ['a syntax error', '{ stores {', 'GRAPHQL_PARSE_FAILED'],
    ['too many tokens', `{ ${'id '.repeat(2000)} }`, 'GRAPHQL_PARSE_FAILED'],
    ['a validation error', '{ stores(first: 1) { nodes { nothing } } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('with the location of the error: %s', (_what, query, code) => {
    const [error] = validateRequest({ query }).errors;
    expect(error?.toJSON()).toMatchObject({ locations: [{ line: 1 }], extensions: { code } });
  });

  test('if it nests deeper than the parser could follow', () => {
    const validateDeep = createRequestValidator({ schema, documents: createDocuments(1_000_000) });
    for (const query of [
      `${'{a'.repeat(30_000)}${'}'.repeat(30_000)}`,
      `{ a(b: ${'['.repeat(45_000)}${']'.repeat(45_000)}) }`,
    ]) {
      expect(validateDeep({ query }).errors[0]).toMatchObject({
        message: 'The document nests brackets in 301 levels and more; at most 300 are allowed.',
        extensions: { code: 'QUERY_TOO_DEEP' },
      });
    }
  });
});

describe('With trusted documents', () => {
  const id = hash('sha256', text);
  const trusted = new Map([[id, text]]);
  const validateTrusted = createRequestValidator({
    schema,
    documents: createDocuments(1000),
    limits: { cost: 50 },
    trusted,
    own: {
      operations: new Map([
        [id, '{ __typename }'],
        ['listMerchants', '{ merchants(first: 1) { nodes { id } } }'],
      ]),
      pages: new Set(),
    },
  });

  test('operations have names, none of which is taken for an id of the list', () => {
    expect(validateTrusted({ documentId: 'listMerchants' })).toMatchObject({ errors: [], cost: 2 });
    expect(validateTrusted({ documentId: id, variables: { n: 5 } })).toMatchObject({ parsed: { text } });
  });

  test.each([
    [{ documentId: id, variables: { n: 5 } }],
    [inUrl({ documentId: id, variables: '{"n":5}' })],
    [{ query: '{ merchants { nodes { id } } }', documentId: id, variables: { n: 5 } }],
    [{ extensions: { persistedQuery: { sha256Hash: id } }, variables: { n: 5 } }],
    [inUrl({ extensions: JSON.stringify({ persistedQuery: { sha256Hash: id } }), variables: '{"n":5}' })],
  ])('the stored document is used, whatever query is sent: %j', parameters => {
    expect(validateTrusted(parameters)).toMatchObject({ errors: [], cost: 6, parsed: { text } });
  });

  test('limits apply to trusted documents, too', () => {
    expect(validateTrusted({ documentId: id, variables: { n: 51 } }).errors[0]?.extensions.code).toBe(
      'QUERY_TOO_COMPLEX',
    );
  });

  test.each<[parameters: object, code: string]>([
    [{ query: text, variables: { n: 5 } }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [{ extensions: '{' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [{ documentId: 'other' }, 'PERSISTED_QUERY_NOT_IN_LIST'],
  ])('other documents are rejected: %j', (parameters, code) => {
    expect(validateTrusted(parameters).errors.map(error => error.extensions.code)).toEqual([code]);
  });
});

describe('createDocumentCache', () => {
  test('parses and validates a document once', () => {
    const documents = createDocuments(1000);
    const first = documents.parse('{ nothing }');
    if (first instanceof GraphQLError) throw first;
    documents.keep(first);
    expect(documents.parse('{ nothing }')).toBe(first);
    expect(first.errors).toHaveLength(1);
    expect(first.errors).toBe(first.errors);
  });

  test('provides Apollo with the documents that it was primed with', async () => {
    const documents = createDocuments(1000);
    const parsed = documents.parse(text);
    if (parsed instanceof GraphQLError) throw parsed;
    const key = `prefix:${hash('sha256', text)}`;
    expect(await documents.apolloStore.get(key)).toBeUndefined();
    documents.prime(parsed);
    expect(await documents.apolloStore.get(key)).toBe(parsed.executable);
  });

  test('reveals no names of the schema if introspection is disabled', () => {
    const closed = createDocumentCache({ schema, maxTokens: 1000, introspection: false });
    const messages = (query: string) => {
      const parsed = closed.parse(query);
      return parsed instanceof GraphQLError ? parsed.message : parsed.errors.map(error => error.message);
    };
    expect(messages('{ stors { id } }')).toEqual(['Cannot query field "stors" on type "Query".']);
    expect(messages('{ __schema { types { name } } }')).toEqual([
      '__schema cannot be queried: introspection is disabled (CARTE_INTROSPECTION).',
    ]);
    expect(messages('{ __typename }')).toEqual([]);
  });
});
