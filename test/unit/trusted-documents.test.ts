import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '@carte/base/errors';
import { findTrustedDocument, loadTrustedDocuments } from '@carte/operations/documents';
import { afterAll, describe, expect, test } from 'vitest';

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

  // Each as its tool has written it, for the same two queries: client-preset 6.2.0, relay-compiler 21.0.1, gql.tada 1.11.3 (one query)
  // and generate-persisted-query-manifest 1.4.0.
  test.each([
    ['client-preset-sha256', /^sha256:[0-9a-f]{64}$/],
    ['client-preset-sha1', /^[0-9a-f]{40}$/],
    ['relay-md5', /^[0-9a-f]{32}$/],
    ['relay-sha256', /^[0-9a-f]{64}$/],
    ['gql-tada', /^sha256:[0-9a-f]{64}$/],
    ['apollo', /^[0-9a-f]{64}$/],
  ])('may be %s, whose ids identify its documents, a SHA-256 with and without its prefix', (name, form) => {
    const path = fileURLToPath(new URL(`../support/trusted-documents/${name}.json`, import.meta.url));
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    const entries: [string, string][] = manifest.operations
      ? manifest.operations.map(({ id, body }: { id: string; body: string }) => [id, body])
      : Object.entries(manifest);
    const trusted = loadTrustedDocuments(path);
    expect(trusted.size).toBe(entries.length);
    for (const [documentId, document] of entries) {
      expect(documentId).toMatch(form);
      const hex = documentId.replace('sha256:', '');
      const sent = hex.length === 64 ? [hex, `sha256:${hex}`] : [documentId];
      for (const each of sent) expect(findTrustedDocument(trusted, { documentId: each })).toBe(document);
    }
  });

  test('may have ids of any form', () => {
    expect(load({ 'stores.v1': text, 'x-build:7': text }).get('x-build:7')).toBe(text);
  });

  test('may have the format of Apollo', () => {
    const operations = [{ id: 'stores', name: 'Stores', type: 'query', body: text }];
    expect(load({ format: 'apollo-persisted-query-manifest', version: 1, operations }).get('stores')).toBe(text);
  });

  test.each<[what: string, manifest: unknown, message: string]>([
    ['a syntax error of JSON', '{', 'cannot be read: Expected property name'],
    ['a list', [], 'it is not a JSON object'],
    [
      'the hash of another document',
      { [`sha256:${id}`]: `${text} ` },
      `"sha256:${id}" is not the SHA-256 of its document`,
    ],
    ['a prefix without its hash', { 'sha256:1': text }, '"sha256:1" is not the SHA-256 of its document'],
    [
      'a hash with and without its prefix',
      { [id]: text, [`sha256:${id}`]: text },
      `the id "sha256:${id}" occurs more than once`,
    ],
    ['an id without a document', { [id]: { query: text } }, `"${id}" has no document`],
    [
      'a document with a syntax error',
      { [id]: '{ stores {' },
      `"${id}" is not a document that can be executed: Syntax Error: Expected Name, found <EOF>. (line 1, column 11)`,
    ],
    [
      'a document over a limit',
      { [id]: `{ ${'stores { totalCount } '.repeat(501)} }` },
      `"${id}" is not a document that can be executed: The document selects stores 501 times; at most 500 are allowed. (line 1, column 11003)`,
    ],
    [
      'a document that nests too deep',
      { [id]: '{a'.repeat(20_000) },
      `"${id}" is not a document that can be executed: The document nests brackets in 301 levels and more; at most 300 are allowed. (line 1, column 601)`,
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
    expect(() => load({ 'sha256:1': text, [id]: 1 })).toThrow(
      `${file} is not a manifest of trusted documents:\n  "sha256:1" is not the SHA-256 of its document\n  "${id}" has no document`,
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
