import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAdmission } from '../../src/graphql/admission.ts';
import { buildGraph } from '../support/graph.ts';

const schema = buildGraph();
const admit = createAdmission({ schema, maxTokens: 1000, limits: { cost: 50 } });
const codes = (parameters: unknown) => admit(parameters).errors.map(error => error.extensions.code);

const text = 'query Stores($n: Int!) { stores(limit: $n) { id } }';

describe('A request is admitted', () => {
  test('with what its document costs', () => {
    expect(admit({ query: '{ stores(limit: 3) { id } }' })).toEqual({ errors: [], cost: 3 });
    expect(admit({ query: text, variables: { n: 7 } })).toEqual({ errors: [], cost: 7 });
  });

  test('with variables as a URL has them', () => {
    expect(admit({ query: text, variables: '{"n":7}' })).toEqual({ errors: [], cost: 7 });
  });

  test.each<[what: string, parameters: unknown]>([
    ['no parameters', undefined],
    ['a list of requests', [{ query: '{ stores { id } }' }]],
    ['no query', {}],
    ['a query that is no text', { query: 5 }],
    ['a mistake in the text', { query: '{ stores {' }],
    ['too many tokens', { query: `{ ${'id '.repeat(2000)} }` }],
  ])('where there is nothing to measure, for others to refuse: %s', (_what, parameters) => {
    expect(admit(parameters)).toEqual({ errors: [] });
  });

  test.each([[5], ['{'], ['[]'], [[]], [null]])('with variables that are none, for others to refuse: %j', variables => {
    expect(admit({ query: '{ stores(limit: 3) { id } }', variables })).toEqual({ errors: [], cost: 3 });
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
    [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }],
    [{ query: '', extensions: '{"persistedQuery":{"version":1,"sha256Hash":"x"}}' }],
  ])('that names a document of an earlier one: %j', parameters => {
    expect(codes(parameters)).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
  });

  test('that nests deeper than the parser can go', () => {
    const deep = createAdmission({ schema, maxTokens: 1_000_000 });
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
  const only = createAdmission({ schema, maxTokens: 1000, limits: { cost: 50 }, trusted });

  test.each([
    [{ documentId: id, variables: { n: 5 } }],
    [{ documentId: id, variables: '{"n":5}' }],
    [{ query: '{ merchants { id } }', documentId: id, variables: { n: 5 } }],
    [{ extensions: { persistedQuery: { sha256Hash: id } }, variables: { n: 5 } }],
    [{ extensions: JSON.stringify({ persistedQuery: { sha256Hash: id } }), variables: { n: 5 } }],
  ])('its own text is executed, and measured: %j', parameters => {
    expect(only(parameters)).toEqual({ errors: [], cost: 5, text });
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
