import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Forbidden, operations } from '@carte/operations';
import { readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { mountRest } from '@carte/operations/mount';
import { openapiDocument } from '@carte/operations/openapi/document';
import { generateRoutes } from '@carte/operations/sofa';
import { addResolversToSchema, makeExecutableSchema } from '@graphql-tools/schema';
import { schema as github } from '@octokit/graphql-schema';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fastify from 'fastify';
import { buildClientSchema, type IntrospectionQuery } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';

// GitHub's public schema: 1,500 types, with interfaces and unions.
const schema = addResolversToSchema({
  schema: buildClientSchema(github.json as object as IntrospectionQuery),
  resolvers: {
    Query: {
      repository: (_parent, { name }: { name: string }) =>
        name === 'none' ? null : { name, stargazerCount: 7, isPrivate: false, licenseInfo: { name: 'MIT License' } },
    },
  },
});

const read = (text: string) => readContract(schema, createSet('github', [{ path: 'repositories.graphql', text }]));

const repositories = `
  query getRepository($owner: String!, $name: String!) @route(path: "/repositories/{owner}/{name}") {
    repository(owner: $owner, name: $name) { ...Repository }
  }
  fragment Repository on Repository { name stars: stargazerCount private: isPrivate license: licenseInfo { title: name } }
`;

describe('a public schema that is not ours', () => {
  const contract = read(repositories);

  test('has routes, with bodies in the names of their file', async () => {
    const app = fastify();
    await app.register(mountRest<string>, {
      schema,
      sets: [{ contract, routes: generateRoutes(contract), createContext: () => ({}) }],
      costOf: () => 0,
      authenticate: async () => 'anyone',
      authorize: ([variant]) => variant,
    });
    const found = await app.inject('/repositories/octo/kitten');
    expect(found.body).toBe('{"name":"kitten","stars":7,"private":false,"license":{"title":"MIT License"}}');
    const none = await app.inject('/repositories/octo/none');
    expect([none.statusCode, none.json()]).toEqual([404, { detail: 'Nothing with this owner, name was found.' }]);
    const head = { 'if-none-match': String(found.headers.etag) };
    expect((await app.inject({ url: '/repositories/octo/kitten', headers: head })).statusCode).toBe(304);
  });

  test('is 401 for whom the service does not know, and 403 for whom it refuses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carte-github-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'repositories.graphql'), repositories);
    const app = fastify();
    await app.register(operations<{ readonly name: string }>, {
      schema,
      folders: [folder],
      authenticate: async ({ headers }) => (headers.authorization ? { name: headers.authorization } : null),
      createContext({ name }) {
        if (name === 'nobody') throw new Forbidden('Nobody may call.');
        return {};
      },
    });
    const statusOf = async (authorization?: string) =>
      (await app.inject({ url: '/repositories/octo/kitten', headers: { ...(authorization && { authorization }) } }))
        .statusCode;
    expect([await statusOf(), await statusOf('nobody'), await statusOf('octo')]).toEqual([401, 403, 200]);
  });

  test('has an OpenAPI document without errors', async () => {
    const source = JSON.stringify(openapiDocument(contract, { version: '1' }));
    expect(source).not.toContain('API key');
    const config = await createConfig({
      extends: ['recommended'],
      rules: { 'security-defined': 'off' },
    });
    const problems = await lintFromString({ source, absoluteRef: 'github.json', config });
    expect(problems.map(({ message }) => message)).toEqual([]);
  });

  test.each([
    ['an interface', 'query q($id: ID!) @route(path: "/nodes/{id}") { node(id: $id) { id } }', 'Node'],
    [
      'a field of an interface',
      repositories.replace('{ name stars', '{ owner { login } name stars'),
      'RepositoryOwner',
    ],
    [
      'a union',
      'query q($text: String!) @route(path: "/search") { search(query: $text, type: USER, first: 1) { nodes { __typename } } }',
      'SearchResultItem',
    ],
  ])('says where it cannot serve %s', (_name, text, type) => {
    expect(() => read(text)).toThrow(new RegExp(`repositories\\.graphql:\\d+: .*${type}`));
  });
});

test('a write of the README that can be repeated stores once for a key, and is 422 without one', async () => {
  const readme = readFileSync(new URL('../../packages/operations/README.md', import.meta.url), 'utf8');
  const [, write = ''] = /`(mutation \w+\([^`]*Idempotency-Key[^`]*)`/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'carte-books-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'books.graphql'), `${write}\nfragment Book on Book { id title }`);
  const books = new Map<string, { readonly id: number; readonly title: string }>();
  const addBook = (_parent: unknown, { title, key }: { readonly title: string; readonly key: string }) => {
    const book = books.get(key) ?? { id: books.size + 1, title };
    books.set(key, book);
    return book;
  };
  const app = fastify();
  await app.register(operations<{ readonly name: string }>, {
    schema: makeExecutableSchema({
      typeDefs: `type Book { id: ID! title: String! } type Query { books: [Book!]! }
        type Mutation { addBook(title: String!, key: String!): Book! }`,
      resolvers: { Mutation: { addBook } },
    }),
    folders: [folder],
    authenticate: async () => ({ name: 'anyone' }),
  });
  const add = async (headers = {}) => {
    const response = await app.inject({ method: 'POST', url: '/books', headers, payload: { title: 'Emma' } });
    return [response.statusCode, response.json()];
  };
  const key = { 'idempotency-key': '1' };
  expect([await add(key), await add(key)]).toEqual(Array(2).fill([200, { id: '1', title: 'Emma' }]));
  const missing = { loc: ['header', 'idempotency-key'], msg: 'Field required', type: 'missing' };
  expect(await add()).toEqual([422, { detail: [missing] }]);
});
