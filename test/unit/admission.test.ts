import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createAdmission } from '../../src/graphql/admission.ts';
import { Documents } from '../../src/graphql/documents.ts';
import { buildGraph } from '../support/graph.ts';

const schema = buildGraph();
const documentsOf = (maxTokens: number) => new Documents({ schema, maxTokens, introspection: true });
const admit = createAdmission({ schema, documents: documentsOf(1000), limits: { cost: 50 } });
const codes = (parameters: unknown) => admit(parameters).errors.map(error => error.extensions.code);

const text = 'query Stores($n: Int!) { stores(limit: $n) { id } }';

describe('A request is admitted', () => {
  test('with what its document costs', () => {
    expect(admit({ query: '{ stores(limit: 3) { id } }' })).toMatchObject({ errors: [], cost: 3 });
    expect(admit({ query: text, variables: { n: 7 } })).toMatchObject({ errors: [], cost: 7, known: { text } });
  });

  test('with variables as a URL has them', () => {
    expect(admit({ query: text, variables: '{"n":7}' })).toMatchObject({ errors: [], cost: 7, known: { text } });
  });

  test.each<[what: string, parameters: unknown]>([
    ['no parameters', undefined],
    ['a list of requests', [{ query: '{ stores { id } }' }]],
    ['no query', {}],
    ['a query that is no text', { query: 5 }],
  ])('where there is nothing to measure, for others to refuse: %s', (_what, parameters) => {
    expect(admit(parameters)).toEqual({ errors: [] });
  });

  test.each([[5], ['{'], ['[]'], [[]], [null]])('with variables that are none, for others to refuse: %j', variables => {
    expect(admit({ query: '{ stores(limit: 3) { id } }', variables })).toMatchObject({ errors: [], cost: 3 });
  });
});

describe('A request is refused', () => {
  test.each<[what: string, parameters: unknown, code: string]>([
    ['that costs too much', { query: '{ stores { id } }' }, 'QUERY_TOO_COMPLEX'],
    ['that costs too much by a variable', { query: text, variables: { n: 51 } }, 'QUERY_TOO_COMPLEX'],
    ['that costs too much by a variable of a URL', { query: text, variables: '{"n":51}' }, 'QUERY_TOO_COMPLEX'],
    [
      'one of whose operations is named',
      { query: `query Small { stores(limit: 1) { id } } ${text}`, operationName: 'Stores', variables: { n: 51 } },
      'QUERY_TOO_COMPLEX',
    ],
  ])('%s', (_what, parameters, code) => {
    expect(codes(parameters)).toEqual([code]);
  });

  test.each([
    [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, 'PERSISTED_QUERY_NOT_FOUND'],
    [{ query: '', extensions: '{"persistedQuery":{"version":1,"sha256Hash":"x"}}' }, 'PERSISTED_QUERY_NOT_FOUND'],
    [{ query: text, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, 'BAD_REQUEST'],
    [{ query: text, extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
    [{ query: text, extensions: { persistedQuery: { version: 1 } } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
    [{ query: text, extensions: { persistedQuery: 'x' } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ])('whose persisted query is unknown or wrong: %j', (parameters, code) => {
    expect(codes(parameters)).toEqual([code]);
  });

  test.each<[what: string, query: string, code: string]>([
    ['syntax', '{ stores {', 'GRAPHQL_PARSE_FAILED'],
    ['too many tokens', `{ ${'id '.repeat(2000)} }`, 'GRAPHQL_PARSE_FAILED'],
    ['validation', '{ stores(limit: 1) { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('for an error of %s, with its location', (_what, query, code) => {
    const [error] = admit({ query }).errors;
    expect(error?.toJSON()).toMatchObject({ locations: [{ line: 1 }], extensions: { code } });
  });

  test('that nests deeper than the parser can go', () => {
    const deep = createAdmission({ schema, documents: documentsOf(1_000_000) });
    for (const query of [
      `${'{a'.repeat(50_000)}${'}'.repeat(50_000)}`,
      `{ a(b: ${'['.repeat(50_000)}${']'.repeat(50_000)}) }`,
    ]) {
      expect(deep({ query }).errors[0]).toMatchObject({
        message: 'The document nests deeper than can be read.',
        extensions: { code: 'QUERY_TOO_DEEP' },
      });
    }
  });
});

describe('Where only trusted documents are executed', () => {
  const id = hash('sha256', text);
  const trusted = { find: (wanted: string) => (wanted === id ? text : undefined) };
  const only = createAdmission({ schema, documents: documentsOf(1000), limits: { cost: 50 }, trusted });

  test.each([
    [{ documentId: id, variables: { n: 5 } }],
    [{ documentId: id, variables: '{"n":5}' }],
    [{ query: '{ merchants { id } }', documentId: id, variables: { n: 5 } }],
    [{ extensions: { persistedQuery: { sha256Hash: id } }, variables: { n: 5 } }],
    [{ extensions: JSON.stringify({ persistedQuery: { sha256Hash: id } }), variables: { n: 5 } }],
  ])('its own text is executed, and measured: %j', parameters => {
    expect(only(parameters)).toMatchObject({ errors: [], cost: 5, known: { text } });
  });

  test('it is refused like any other when it asks for too much', () => {
    expect(only({ documentId: id, variables: { n: 51 } }).errors[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
  });

  test.each<[parameters: object, code: string]>([
    [{ query: text, variables: { n: 5 } }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [{ extensions: '{' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [{ documentId: 'other' }, 'PERSISTED_QUERY_NOT_IN_LIST'],
  ])('another is not: %j', (parameters, code) => {
    expect(only(parameters).errors.map(error => error.extensions.code)).toEqual([code]);
  });
});

describe('A document', () => {
  test('is parsed and validated once', () => {
    const documents = documentsOf(1000);
    const [first, second] = [documents.find('{ nothing }'), documents.find('{ nothing }')];
    expect(second).toBe(first);
    if (first instanceof GraphQLError) throw first;
    expect(first.errors).toHaveLength(1);
    expect(first.errors).toBe(first.errors);
  });

  test('is not parsed again by Apollo once it is shared', async () => {
    const documents = documentsOf(1000);
    const known = documents.find(text);
    if (known instanceof GraphQLError) throw known;
    const key = `prefix:${hash('sha256', text)}`;
    expect(await documents.store.get(key)).toBeUndefined();
    documents.share(known);
    expect(await documents.store.get(key)).toBe(known.document);
  });

  test('tells nothing of the schema where introspection is off', () => {
    const closed = new Documents({ schema, maxTokens: 1000, introspection: false });
    const messages = (query: string) => {
      const known = closed.find(query);
      return known instanceof GraphQLError ? known.message : known.errors.map(error => error.message);
    };
    expect(messages('{ stors { id } }')).toEqual(['Cannot query field "stors" on type "Query".']);
    expect(messages('{ __schema { types { name } } }')).toEqual([
      '__schema cannot be queried: introspection is off here (CARTE_INTROSPECTION).',
    ]);
    expect(messages('{ __typename }')).toEqual([]);
  });
});
