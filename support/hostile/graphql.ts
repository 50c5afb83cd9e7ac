import type { Random } from '../../src/demo/random.ts';
import { attacksOn, documentsOverLimits } from './documents.ts';
import { envelopeProbe } from './envelopes.ts';
import { json, type MakeProbe, postGraphql, previewPath, type Target } from './probe.ts';
import { randomJson, randomText } from './values.ts';

const goodQuery = `query Page($storeId: ID!, $filter: OrderFilter, $first: Int!, $after: String, $at: DateTime, $languages: [String!]!) {
  store(id: $storeId) {
    id name { text } menuRevision
    menus(availableAt: $at) { externalId name { text(languages: $languages) } }
    item(externalId: "x") { id }
    orders(filter: $filter, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { id status } }
  }
  merchants(first: 2) { nodes { id stores(first: 1) { nodes { id } } } }
}`;

const goodVariables = ({ storeId }: Target) => ({
  storeId,
  filter: {
    createdFrom: '2026-01-01T00:00:00Z',
    createdUntil: null,
    customerName: 'a',
    customerPhoneEndsWith: '1',
    statuses: ['PENDING'],
  },
  first: 3,
  after: null,
  at: '2026-01-01T12:00:00Z',
  languages: ['en'],
});

const mutation =
  'mutation Replace($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';

/** Valid variables, some of them replaced. */
function brokenVariables(random: Random, good: object): string {
  const members = Object.entries(good).map(([name, value]) => {
    if (random.chance(0.6)) return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return random.chance(0.2) ? '"__proto__":{}' : `${JSON.stringify(name)}:${randomJson(random)}`;
  });
  return random.chance(0.05) ? randomJson(random) : `{${members.join(',')}}`;
}

const variableProbe: MakeProbe = (random, target) => {
  const variables = brokenVariables(random, goodVariables(target));
  return postGraphql(target, 'hostile variables', `{"query":${JSON.stringify(goodQuery)},"variables":${variables}}`);
};

/** Uses a read-only key, so that nothing is stored, or a key that may write with an invalid input. */
const mutationProbe: MakeProbe = (random, target) => {
  const good = { storeId: target.storeId, items: [], expectedMenuRevision: 1_000_000 };
  const input = random.chance(0.5)
    ? brokenVariables(random, good)
    : `{"storeId":${JSON.stringify(target.storeId)},"items":[${randomJson(random)}],"expectedMenuRevision":1000000}`;
  const key = random.chance(0.5) ? target.keys.write : target.keys.read;
  const body = `{"query":${JSON.stringify(mutation)},"variables":{"input":${input}}}`;
  return { ...postGraphql(target, 'hostile mutation', body), headers: { ...json, 'x-api-key': key } };
};

const junk = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '"',
  '"""',
  '#',
  '$',
  '@',
  '...',
  '!',
  '|',
  '&',
  ':',
  '=',
  '\u0000',
  '\ufeff',
  '\\u{110000}',
  '1e',
  '-',
  'é',
  '\ud800',
  'query',
  'fragment on on on { on }',
  'subscription { x }',
  'mutation',
  'extend type Query { x: Int }',
  'type',
  'null',
  '%',
];

/** A valid query with an insertion, a deletion or a truncation. */
const syntaxProbe: MakeProbe = (random, target) => {
  const at = random.between(0, goodQuery.length);
  const end = random.chance(0.3) ? goodQuery.length : at + random.between(0, 5);
  const text =
    goodQuery.slice(0, at) + (random.chance(0.8) ? random.pick(junk) : randomText(random)) + goodQuery.slice(end);
  return postGraphql(target, 'broken syntax', JSON.stringify({ query: text, variables: goodVariables(target) }));
};

const literalProbe: MakeProbe = (random, target) => {
  const value = random.pick([
    randomJson(random),
    JSON.stringify(randomText(random)),
    '$undefined',
    'ENUM',
    '"""\n"""',
    '{a: {a: 1}}',
    '-',
    '0123',
    '1.',
    '"\\u{D800}"',
    '"\\uD800"',
  ]);
  const field = random.pick([
    `store(id: ${value}) { id }`,
    `stores(first: ${value}) { nodes { id } }`,
    `stores(after: ${value}, first: 1) { nodes { id orders(first: 1, after: ${value}) { totalCount } } }`,
    `order(id: ${value}) { id }`,
    `merchant(id: ${value}) { id }`,
    `stores(first: 1) { nodes { menus(availableAt: ${value}) { name { text(languages: ${value}) } } } }`,
    `stores(first: 1) { nodes { orders(filter: { customerName: ${value}, customerPhoneEndsWith: ${value} }, first: ${value}) { totalCount } } }`,
    `__type(name: ${value}) { name }`,
  ]);
  return postGraphql(target, 'hostile literal', JSON.stringify({ query: `{ ${field} }` }));
};

const getProbe: MakeProbe = (random, target) => {
  const query = random.pick([
    `query=${encodeURIComponent(`mutation { replaceMenuConfiguration(input: { storeId: "${target.storeId}", items: [] }) { store { menuRevision } } }`)}`,
    'query={stores{nodes{id}}}&variables={',
    'query={stores{nodes{id}}}&variables=[]',
    'query={stores{nodes{id}}}&extensions=x',
    'query={stores{nodes{id}}}&query={merchants{nodes{id}}}',
    'query=',
    'query=%',
    'query=%00',
    'query[]=x',
    'variables={}',
    `query=${encodeURIComponent(randomText(random).toWellFormed())}`,
    `query={stores{nodes{id}}}&operationName=${encodeURIComponent(randomText(random).toWellFormed())}`,
  ]);
  const method = random.chance(0.85) ? 'GET' : random.pick(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
  const key = random.chance(0.8) ? { 'x-api-key': target.keys.write } : {};
  return { what: 'GET of a query', method, path: `/graphql?${query}`, headers: key };
};

const attackProbe: MakeProbe = (random, target) => {
  const { text, variables } = random.pick(attacksOn(target.storeId));
  // Each differs, so that document caches do not help.
  return postGraphql(
    target,
    'heavy document',
    JSON.stringify({ query: `${text} # ${random.between(0, 1e9)}`, variables }),
  );
};

/** At every path that takes a document. */
const limitProbe: MakeProbe = (random, target) => {
  const { what, text } = random.pick(documentsOverLimits(random));
  const probe = postGraphql(target, what, JSON.stringify({ query: `${text} # ${random.between(0, 1e9)}` }));
  return random.chance(0.5) ? probe : { ...probe, path: previewPath };
};

const graphqlKeyProbe: MakeProbe = (random, target) => {
  const key = random.pick<string | readonly string[] | null>([
    null,
    '',
    target.keys.revoked,
    'x',
    [target.keys.read, target.keys.read],
  ]);
  const body = JSON.stringify({
    query: random.pick(['{ stores { nodes { id } } }', mutation, '{', '{ __schema { types { name } } }']),
    variables: {},
  });
  return {
    what: 'wrong key',
    method: 'POST',
    path: '/graphql',
    headers: { ...json, ...(key !== null && { 'x-api-key': key }) },
    body,
  };
};

/** Kinds of requests to `/graphql` with their weights. */
export const graphqlProbes: readonly (readonly [times: number, make: MakeProbe])[] = [
  [15, variableProbe],
  [8, mutationProbe],
  [15, syntaxProbe],
  [15, literalProbe],
  [10, envelopeProbe],
  [5, getProbe],
  [3, attackProbe],
  [3, limitProbe],
  [3, graphqlKeyProbe],
];
