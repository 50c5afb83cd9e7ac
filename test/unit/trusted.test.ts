import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OperatorError } from '../../src/errors.ts';
import { loadTrusted, trustedText } from '../../src/graphql/trusted.ts';

const folder = mkdtempSync(join(tmpdir(), 'carte-trusted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'manifest.json');
const load = (manifest: unknown) => {
  writeFileSync(file, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  return loadTrusted(file);
};

const text = 'query Stores { stores { id } }';
const id = hash('sha256', text);

describe('A manifest', () => {
  test('is a map from ids to texts', () => {
    const trusted = load({ [id]: text });
    expect(trusted.find(id)).toBe(text);
    for (const other of ['', 'constructor', '__proto__', id.slice(1)]) expect(trusted.find(other)).toBeUndefined();
  });

  test("is a manifest of Apollo's", () => {
    const operations = [{ id: 'stores', name: 'Stores', type: 'query', body: text }];
    expect(load({ format: 'apollo-persisted-query-manifest', version: 1, operations }).find('stores')).toBe(text);
  });

  test.each<[what: string, manifest: unknown, message: string]>([
    ['a text that is no JSON', '{', 'cannot be read: Expected property name'],
    ['a list', [], 'it holds no JSON object'],
    ['an id that is no hash', { stores: text }, '"stores" is no SHA-256 in hexadecimal'],
    ['an id without a text', { [id]: { query: text } }, `"${id}" has no text`],
    [
      'a text with a mistake',
      { [id]: '{ stores {' },
      `"${id}" is no GraphQL document: Syntax Error: Expected Name, found <EOF>.`,
    ],
    [
      'another version',
      { format: 'apollo-persisted-query-manifest', version: 2, operations: [] },
      'its version is 2; only 1 is understood',
    ],
    ['no operations', { format: 'apollo-persisted-query-manifest', version: 1 }, 'it has no list of operations'],
    [
      'an operation without an id',
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [{ body: text }] },
      'operation 0 has no id',
    ],
    [
      'an id that comes twice',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [
          { id: 'a', body: text },
          { id: 'a', body: text },
        ],
      },
      'there is more than one document "a"',
    ],
  ])('with %s is refused', (_what, manifest, message) => {
    expect(() => load(manifest)).toThrow(OperatorError);
    expect(() => load(manifest)).toThrow(message);
  });

  test('names every error in it, and where it is', () => {
    expect(() => load({ one: text, [id]: 1 })).toThrow(
      `${file} is no list of trusted documents:\n  "one" is no SHA-256 in hexadecimal\n  "${id}" has no text`,
    );
  });

  test('that is not there is refused', () => {
    expect(() => loadTrusted(join(folder, 'absent.json'))).toThrow(
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
    ['documentId, whatever text comes with it', { documentId: id, query: '{ merchants { id } }' }],
  ])('names a document by %s', (_how, request) => {
    expect(trustedText(trusted, request)).toBe(text);
  });

  test.each<[what: string, request: object, code: string]>([
    ['no id', { query: text }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['an id that is no string', { documentId: 5 }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['extensions that are none', { extensions: 'persistedQuery' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['an unknown id', { documentId: 'x'.repeat(10_000) }, 'PERSISTED_QUERY_NOT_IN_LIST'],
    [
      'the id of another text',
      { documentId: hash('sha256', '{ stores { id } }'), query: '{ stores { id } }' },
      'PERSISTED_QUERY_NOT_IN_LIST',
    ],
  ])('with %s is refused', (_what, request, code) => {
    expect(() => trustedText(trusted, request)).toThrow(expect.objectContaining({ extensions: { code } }));
  });
});
