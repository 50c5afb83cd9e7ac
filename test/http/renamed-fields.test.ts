import { expect, test } from 'vitest';
import { sharedApp, startApp } from '../support/app.ts';

const app = await sharedApp();

interface Case {
  readonly what: string;
  readonly query: string;
  readonly input?: object;
  readonly messages: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'a field',
    query: '{ store(id: "s") { storePhone orders { hasNextPage } } }',
    messages: [
      'Cannot query field "storePhone" on type "Store". Use "phone" (renamed in 1.0).',
      'Cannot query field "hasNextPage" on type "OrderConnection". Use "pageInfo { hasNextPage }" (renamed in 1.0).',
    ],
  },
  {
    what: 'an amount',
    query: '{ store(id: "s") { items { price } } }',
    messages: [
      'Field "price" of type "Money!" must have a selection of subfields. Use "price { amount }" (renamed in 1.0).',
    ],
  },
  {
    what: 'an argument',
    query: '{ stores(limit: 5) { totalCount } }',
    messages: ['Unknown argument "limit" on field "Query.stores". Use "first" (renamed in 1.0).'],
  },
  {
    what: 'an argument of a mutation',
    query: 'mutation { pauseWebhook(id: "w") { webhook { id } } }',
    messages: [
      'Unknown argument "id" on field "Mutation.pauseWebhook". Use "input: { webhookId }" (renamed in 1.0).',
      'Field "pauseWebhook" argument "input" of type "PauseWebhookInput!" is required, but it was not provided.',
    ],
  },
  {
    what: 'a type',
    query: 'mutation ($input: StoreInput!) { saveStore(input: $input) { store { id } } }',
    messages: ['Unknown type "StoreInput". Use "SaveStoreInput" (renamed in 1.0).'],
  },
  {
    what: 'a field of a literal',
    query: '{ store(id: "s") { orders(filter: { startTime: "2026-03-01" }) { totalCount } } }',
    messages: ['Field "startTime" is not defined by type "OrderFilter". Use "createdFrom" (renamed in 1.0).'],
  },
  {
    what: 'a field of a variable',
    query: 'mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }',
    input: { id: 's', name: { translations: {} }, city: 'Lisboa' },
    messages: [
      'Variable "$input" got invalid value "Lisboa" at "input.city"; Field "city" is not defined by type "SaveStoreInput". Use "address: { city }" (renamed in 1.0).',
    ],
  },
];
const unknown: Case = {
  what: 'nothing',
  query: '{ store(id: "s") { nam toString } }',
  messages: [
    'Cannot query field "nam" on type "Store". Did you mean "name"?',
    'Cannot query field "toString" on type "Store". Did you mean "ordering"?',
  ],
};

const messagesOf = async ({ query, input }: Case) => {
  const { body } = await app.graphql(query, { input });
  return body.errors.map(({ message }: { readonly message: string }) => message);
};

test.each(cases)('the error about the name of $what in 0.2 has the new one', async tested => {
  expect(await messagesOf(tested)).toEqual(tested.messages);
});

test('the error about a name that no version had has a similar one', async () => {
  expect(await messagesOf(unknown)).toEqual(unknown.messages);
});

test('without introspection, errors have no names', async () => {
  const closed = await startApp({ introspection: false });
  for (const { query, input } of [...cases, unknown]) {
    const { text } = await closed.graphql(query, { input });
    expect(text).toContain('"errors"');
    expect(text).not.toMatch(/Use|Did you mean/);
  }
});
