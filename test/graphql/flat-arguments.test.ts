import { createCostOf } from '@carte/operations/limits/limits';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();
const store = await app.data.store();
await app.data.menu(store);
const [order] = await app.data.orders(store, 1, { status: 'PENDING' });

const send = async (mutation: string, variables: object = {}, key = app.key) =>
  (await app.graphql(`mutation ${mutation}`, { ...variables }, { 'x-api-key': key })).body;

describe('The arguments that mutations had in 0.2', () => {
  test('are those of `input`, deprecated, with its descriptions', async () => {
    const { body } = await app.graphql(`{
      __schema { mutationType { fields { name args(includeDeprecated: true) { name description deprecationReason } } } }
    }`);
    const fields: readonly Field[] = body.data.__schema.mutationType.fields;
    expect(fields.filter(({ args }) => args[0]?.name !== 'input').map(({ name }) => name)).toEqual([]);
    const argumentsOf = (mutation: string) => fields.find(({ name }) => name === mutation)?.args ?? [];
    const namesOf = (mutation: string) => argumentsOf(mutation).map(({ name }) => name);
    expect(namesOf('markOrders')).toEqual(['input', 'storeId', 'orderIds', 'isRead', 'inPos']);
    expect(namesOf('createApiKey')).toEqual(['input']);
    expect(namesOf('changeOrderStatus')).not.toContain('expectedRevision');
    expect(argumentsOf('replaceMenuConfiguration')[1]?.deprecationReason).toBe('Use `input.storeId`.');
    expect(argumentsOf('revokeApiKey')).toEqual([
      {
        name: 'input',
        description: 'The key. Required; nullable until 1.0, since deprecated arguments may be given instead.',
        deprecationReason: null,
      },
      { name: 'id', description: "The key's `id`.", deprecationReason: 'Use `input.apiKeyId`.' },
    ]);
    expect(fields.flatMap(({ args }) => args.slice(1)).filter(argument => !argument.deprecationReason)).toEqual([]);
  });

  test('have the defaults of its fields', async () => {
    const soldOut = 'items: [{ externalId: "item", inStock: false }]';
    const stock = await send(`{ setStock(storeId: "${store.id}", ${soldOut}) { store { items { inStock } } } }`);
    expect(stock.data.setStock.store.items).toEqual([{ inStock: false }]);
    const accepted = await send(
      '($id: ID!, $from: OrderStatus) { changeOrderStatus(orderId: $id, to: ACCEPTED, from: $from) { order { status } } }',
      { id: order?.id },
    );
    expect(accepted.data.changeOrderStatus.order).toEqual({ status: 'ACCEPTED' });
  });

  test('are given other names by the input, and keep theirs in errors', async () => {
    const admin = await app.newKey({ permissions: ['ADMIN'] });
    const created = await send('{ createApiKey(input: { name: "till", all: true }) { apiKey { id } } }', {}, admin);
    const { id } = created.data.createApiKey.apiKey;
    const revoked = await send(`{ revokeApiKey(id: "${id}") { apiKey { id } } }`, {}, admin);
    expect(revoked.data.revokeApiKey.apiKey).toEqual({ id });
    const rotate = (args: string) => send(`{ rotateApiKey(${args}) { key } }`, {}, admin);
    expect(pathsOf(await rotate(`id: "${id}"`))).toEqual([['id']]);
    expect(pathsOf(await rotate(`input: { apiKeyId: "${id}" }`))).toEqual([['input', 'apiKeyId']]);
    const redeliver = await send('{ redeliverWebhookMessage(messageId: "msg_1") { error } }', {}, admin);
    expect(pathsOf(redeliver)).toEqual([['id']]);
  });

  test('cost the same', () => {
    const costOf = createCostOf(loadSchema());
    const cost = (args: string) => costOf(parse(`mutation m { markOrders(${args}) { orders { id } } }`), 'm', {});
    expect(cost('orderIds: ["a", "b", "c"]')).toBe(cost('input: { orderIds: ["a", "b", "c"] }'));
  });

  test('stay beside the input of replaceMenuConfiguration', async () => {
    const replace = `($id: ID, $input: MenuConfigurationInput!, $expected: SafeInt) {
      replaceMenuConfiguration(storeId: $id, input: $input, expectedRevision: $expected) { revision }
    }`;
    const { id } = await app.data.store();
    const replaced = await send(replace, { id, input: smallMenu(), expected: 0 });
    expect(replaced.data.replaceMenuConfiguration.revision).toBeGreaterThan(0);
    const conflict = await send(replace, { id, input: smallMenu('other'), expected: 0 });
    expect(conflict.errors[0].extensions.code).toBe('CONFLICT');
    const invalid = await send(replace, {
      id,
      input: { items: [], categories: [{ externalId: '', name: { translations: {} } }] },
    });
    expect(pathsOf(invalid)).toEqual([['input', 'categories', 0, 'externalId']]);
    expect(pathsOf(await send(replace, { id, input: { storeId: id, items: [] } }))).toEqual([['storeId']]);
    expect(pathsOf(await send(replace, { input: { items: [] } }))).toEqual([['input', 'storeId']]);
  });
});

interface Field {
  readonly name: string;
  readonly args: readonly {
    readonly name: string;
    readonly description: string;
    readonly deprecationReason: string | null;
  }[];
}

interface Body {
  readonly errors: readonly {
    readonly extensions: { readonly code: string; readonly errors: readonly { readonly path: unknown }[] };
  }[];
}

/** The paths of the errors of an input that is refused. */
function pathsOf({ errors: [error] }: Body) {
  expect(error?.extensions.code).toBe('BAD_USER_INPUT');
  return error?.extensions.errors.map(({ path }) => path);
}

test.each([
  ['of `input`', 'markOrders(input: { orderIds: ["no-such"], isRead: true })', [['input', 'orderIds', 0]]],
  ['of old arguments', 'markOrders(orderIds: ["no-such"], isRead: true)', [['orderIds', 0]]],
  ['of both', 'markOrders(input: { orderIds: [] }, isRead: true, inPos: true)', [['isRead'], ['inPos']]],
  ['of neither', 'markOrders', [['input']]],
  ['of old arguments that are missing', 'changeOrderStatus(reason: "none")', [['orderId'], ['to']]],
  ['of an old argument that is null', 'setStock(storeId: "s", items: null)', [['items']]],
])('Paths of errors %s', async (_what, call, paths) => {
  expect(pathsOf(await send(`{ ${call} { __typename } }`))).toEqual(paths);
});

test('A key that lacks the permission is refused before its arguments are read', async () => {
  const { errors } = await send('{ markOrders { __typename } }', {}, await app.newKey({ permissions: [] }));
  expect(errors[0].extensions.code).toBe('FORBIDDEN');
});
