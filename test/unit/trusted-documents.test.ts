import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OperatorError } from '../../src/errors.ts';
import { findTrustedDocument, loadTrustedDocuments } from '../../src/graphql/persisted-documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'carte-trusted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'manifest.json');
const load = (manifest: unknown) => {
  writeFileSync(file, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  return loadTrustedDocuments(file);
};

const text = 'query Stores { stores { nodes { id } } }';
const id = hash('sha256', text);

describe('A manifest', () => {
  test('maps SHA-256 hashes to documents', () => {
    const trusted = load({ [id]: text });
    expect(trusted.get(id)).toBe(text);
    for (const other of ['', 'constructor', '__proto__', id.slice(1)]) expect(trusted.get(other)).toBeUndefined();
  });

  test('may have the format of Apollo', () => {
    const operations = [{ id: 'stores', name: 'Stores', type: 'query', body: text }];
    expect(load({ format: 'apollo-persisted-query-manifest', version: 1, operations }).get('stores')).toBe(text);
  });

  test.each<[what: string, manifest: unknown, message: string]>([
    ['a syntax error of JSON', '{', 'cannot be read: Expected property name'],
    ['a list', [], 'it is not a JSON object'],
    ['an id that is not a hash', { stores: text }, '"stores" is not a SHA-256 in hexadecimal'],
    ['an id without a document', { [id]: { query: text } }, `"${id}" has no document`],
    [
      'a document with a syntax error',
      { [id]: '{ stores {' },
      `"${id}" is not a document that can be executed: Syntax Error: Expected Name, found <EOF>. (line 1, column 11)`,
    ],
    [
      'a document over a limit',
      { [id]: `{ ${'stores { count } '.repeat(501)} }` },
      `"${id}" is not a document that can be executed: The document selects stores 501 times; at most 500 are allowed. (line 1, column 8503)`,
    ],
    [
      'a document that nests too deep',
      { [id]: '{a'.repeat(20_000) },
      `"${id}" is not a document that can be executed: The document nests deeper than the parser supports. (line 1, column 1)`,
    ],
    [
      'another version',
      { format: 'apollo-persisted-query-manifest', version: 2, operations: [] },
      'its version is 2; only 1 is supported',
    ],
    ['no operations', { format: 'apollo-persisted-query-manifest', version: 1 }, 'it has no list of operations'],
    [
      'an operation without an id',
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [{ body: text }] },
      'operation 0 has no id',
    ],
    [
      'a duplicate id',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [
          { id: 'a', body: text },
          { id: 'a', body: text },
        ],
      },
      'the id "a" occurs more than once',
    ],
  ])('with %s is rejected', (_what, manifest, message) => {
    expect(() => load(manifest)).toThrow(OperatorError);
    expect(() => load(manifest)).toThrow(message);
  });

  test('is rejected with every error in it, and its path', () => {
    expect(() => load({ one: text, [id]: 1 })).toThrow(
      `${file} is not a manifest of trusted documents:\n  "one" is not a SHA-256 in hexadecimal\n  "${id}" has no document`,
    );
  });

  test('that does not exist is rejected', () => {
    expect(() => loadTrustedDocuments(join(folder, 'absent.json'))).toThrow(
      /^The trusted documents in .*absent.json cannot be read: ENOENT/,
    );
  });
});

describe('A request', () => {
  const trusted = load({ [id]: text });

  test.each([
    ['documentId', { documentId: id }],
    ['documentId with its algorithm', { documentId: `sha256:${id}` }],
    ["Apollo's hash", { extensions: { persistedQuery: { version: 1, sha256Hash: id } } }],
    ['documentId, whatever query is sent with it', { documentId: id, query: '{ merchants { nodes { id } } }' }],
  ])('identifies its document by %s', (_how, request) => {
    expect(findTrustedDocument(trusted, request)).toBe(text);
  });

  test.each<[what: string, request: object, code: string]>([
    ['no id', { query: text }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['an id that is not a string', { documentId: 5 }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['extensions that are not an object', { extensions: 'persistedQuery' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['an unknown id', { documentId: 'x'.repeat(10_000) }, 'PERSISTED_QUERY_NOT_IN_LIST'],
    [
      'the hash of an unlisted query',
      { documentId: hash('sha256', '{ stores { nodes { id } } }'), query: '{ stores { nodes { id } } }' },
      'PERSISTED_QUERY_NOT_IN_LIST',
    ],
  ])('with %s is rejected', (_what, request, code) => {
    expect(() => findTrustedDocument(trusted, request)).toThrow(expect.objectContaining({ extensions: { code } }));
  });
});
