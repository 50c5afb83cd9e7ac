import { describe, expect, test } from 'vitest';
import { nodeIdOf } from '../../src/node-id.ts';
import type { Permission } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await startApp();
const merchant = await app.data.merchant({ id: 'same' });
// The operator's ids may coincide.
const store = await app.data.store({ id: 'same', merchant: merchant.id });
const other = await app.data.store({ id: 'other:store' });
const { categories = [], modifierItems = [], ...rest } = smallMenu('Soup');
const hidden = { externalId: 'hidden', name: { translations: { en: 'Hidden' } } };
await app.data.menu(store, {
  ...rest,
  items: [...rest.items, { ...hidden, price: 1, tax: 0, sellSeparately: true }],
  categories: [...(categories ?? []), { ...hidden, itemExternalIds: ['hidden'] }],
  modifierGroups: [
    ...(rest.modifierGroups ?? []),
    { ...hidden, type: 'X', groupMin: 0, groupMax: 1, chargeAfter: 0, modifierItemExternalIds: ['hidden'] },
  ],
  modifierItems: [
    ...(modifierItems ?? []),
    { ...hidden, priceChange: 0, taxChange: 0, minQuantity: 0, maxQuantity: 1, defaultQuantity: 0 },
  ],
});
await app.data.menu(other, smallMenu('Tea'));
await app.data.orders(store, 1, { id: 'same' });

const headersWith = async (...permissions: Permission[]) => ({
  'x-api-key': await app.newKey({ storeIds: [store.id], permissions }),
});
const guest = { 'x-api-key': await app.newKey({ storeIds: [store.id], permissions: [], publishable: true }) };
const admin = { 'x-api-key': await app.newKey({ all: true, permissions: ['ADMIN'] }) };
const own = await headersWith();

const entities = ['menus', 'categories', 'items', 'modifierGroups', 'modifierItems'];
const selection = `nodeId merchant { nodeId } orders { nodes { nodeId } }
  ${entities.map(name => `${name} { nodeId externalId }`).join(' ')}`;

interface Found {
  readonly nodeId: string;
  readonly externalId?: string;
}

/** Every `nodeId` of a store, with the external id where there is one. */
async function nodesOf(id: string): Promise<Found[]> {
  const { body } = await app.graphql(`{ store(id: "${id}") { ${selection} } }`);
  const found = body.data.store;
  const lists = entities.flatMap((name): Found[] => found[name]);
  return [found, ...(found.merchant ? [found.merchant] : []), ...found.orders.nodes, ...lists].map(
    ({ nodeId, externalId }: Found) => ({ nodeId, ...(externalId !== undefined && { externalId }) }),
  );
}

const read = async (nodeIds: readonly string[], headers: Record<string, string>) => {
  const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename nodeId } }';
  const { body } = await app.graphql(query, { ids: nodeIds }, headers);
  return body.data.nodes as ({ __typename: string; nodeId: string } | null)[];
};

describe('node', () => {
  test('finds everything that has a nodeId again, whatever else has its id', async () => {
    const nodeIds = (await nodesOf('same')).map(({ nodeId }) => nodeId);
    expect(new Set(nodeIds).size).toBe(nodeIds.length);
    const found = await read(nodeIds, own);
    expect(found.map(node => node?.nodeId)).toEqual(nodeIds);
    expect([...new Set(found.map(node => node?.__typename))]).toEqual([
      ...['Store', 'Merchant', 'Order', 'Menu', 'Category', 'MenuItem', 'ModifierGroup', 'ModifierItem'],
    ]);
    for (const nodeId of nodeIds) {
      const { body } = await app.graphql('query($id: ID!) { node(id: $id) { nodeId } }', { id: nodeId }, own);
      expect(body.data).toEqual({ node: { nodeId } });
    }
  });

  test('reads the fields of each type through fragments on it and on the interface, compiled or not', async () => {
    const query = `query($id: ID!) { node(id: $id) { ...A ... on Merchant { brandName } } store(id: "same") { ...A merchant { ...A } } }
      fragment A on Node { nodeId ... on Store { id currency } ... on Order { status } }`;
    const nodeId = nodeIdOf('Store', 'same');
    const found = { nodeId, id: 'same', currency: null };
    for (let sent = 0; sent < 3; sent++) {
      const { body } = await app.graphql(query, { id: nodeId }, own);
      expect(body).toEqual({
        data: { node: found, store: { ...found, merchant: { nodeId: nodeIdOf('Merchant', 'same') } } },
      });
    }
    // Without the interface as a type, the query is compiled, and this one is cached.
    const cached =
      '{ store(id: "same") { ... on Node { nodeId ... on Order { status } ... on Store { menuRevision } } } }';
    for (let sent = 0; sent < 3; sent++) {
      const { body } = await app.graphql(cached, {}, own);
      expect(body).toEqual({ data: { store: { nodeId, menuRevision: expect.any(Number) } } });
    }
  });

  test('is null for what there is not, or no longer, and for any text', async () => {
    const gone = [
      nodeIdOf('Store', 'none'),
      nodeIdOf('MenuItem', 2 ** 40),
      nodeIdOf('MenuItem', '99999999999999999999'),
      nodeIdOf('MenuItem', '1:2:same'),
      nodeIdOf('MenuItem', '1:x:same'),
      nodeIdOf('Order', 'a\0b'),
      nodeIdOf('Webhook', 'a\0b'),
      Buffer.from('Query:x').toString('base64url'),
      Buffer.from('constructor:x').toString('base64url'),
      'same',
      '',
      '💥',
    ];
    expect(await read(gone, admin)).toEqual(gone.map(() => null));
  });

  test('gives a key nothing of another store, and a guest what the menus list', async () => {
    const foreign = await nodesOf('other:store');
    expect(foreign.length).toBeGreaterThan(5);
    for (const headers of [own, guest]) {
      expect(
        await read(
          foreign.map(({ nodeId }) => nodeId),
          headers,
        ),
      ).toEqual(foreign.map(() => null));
    }
    const all = await nodesOf('same');
    const found = await read(
      all.map(({ nodeId }) => nodeId),
      guest,
    );
    const missing = all.filter((_, index) => found[index] === null);
    expect(missing).toEqual([
      { nodeId: nodeIdOf('Order', 'same') },
      ...['category', 'item', 'group', 'modifier'].map(() => ({ nodeId: expect.anything(), externalId: 'hidden' })),
    ]);
  });

  test.each([
    [['READ_MENUS'], ['Order']],
    [['READ_ORDERS'], ['Merchant', 'Menu', 'Category', 'MenuItem', 'ModifierGroup', 'ModifierItem']],
    [['READ_OWN_ORDERS'], ['Merchant', 'Order', 'Menu', 'Category', 'MenuItem', 'ModifierGroup', 'ModifierItem']],
  ] as const)('with %s has nothing of %s', async (permissions, types) => {
    const all = (await nodesOf('same')).map(({ nodeId }) => nodeId);
    const typeOf = (nodeId: string) => Buffer.from(nodeId, 'base64url').toString().split(':')[0] ?? '';
    const found = await read(all, await headersWith(...permissions));
    const missing = all.filter((_, index) => found[index] === null).map(typeOf);
    expect([...new Set(missing)]).toEqual(types);
    expect(found.flatMap(node => (node ? [node.__typename] : []))).not.toEqual(expect.arrayContaining([...types]));
  });

  test('finds an entity of the past, with READ_HISTORY', async () => {
    const { body: before } = await app.graphql('{ store(id: "other:store") { menuRevision } }');
    const revision = before.data.store.menuRevision;
    await app.data.menu(other, { ...smallMenu('Coffee') });
    const query = `query($revision: SafeInt!) { store(id: "other:store") {
      menuConfigurationAt(revision: $revision) { items { nodeId name { text } } } } }`;
    const { body } = await app.graphql(query, { revision });
    const [past] = body.data.store.menuConfigurationAt.items;
    const refetch = 'query($id: ID!) { node(id: $id) { nodeId ... on MenuItem { name { text } } } }';
    expect((await app.graphql(refetch, { id: past.nodeId })).body.data.node).toEqual(past);
    const menusOnly = { 'x-api-key': await app.newKey({ all: true, permissions: ['READ_MENUS'] }) };
    for (const headers of [menusOnly, own]) {
      expect((await app.graphql(refetch, { id: past.nodeId }, headers)).body.data.node).toBeNull();
    }
    const unknown = nodeIdOf('MenuItem', `1:${revision - 1}:other:store`);
    expect((await app.graphql(refetch, { id: unknown })).body).toEqual({ data: { node: null } });
  });

  test('finds a revision of the history, with READ_HISTORY', async () => {
    const query = '{ store(id: "other:store") { menuHistory { nodes { nodeId revision previousRevision summary } } } }';
    const { nodes } = (await app.graphql(query)).body.data.store.menuHistory;
    expect(nodes.length).toBeGreaterThan(1);
    const refetch =
      'query($id: ID!) { node(id: $id) { ... on MenuRevision { nodeId revision previousRevision summary } } }';
    for (const node of nodes) {
      expect((await app.graphql(refetch, { id: node.nodeId })).body.data.node).toEqual(node);
    }
    const all: string[] = nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
    const one = await app.statements.during(() => read([nodes[0].nodeId], {}));
    const several = await app.statements.during(() => read(all, {}));
    expect(several.result.map(node => node?.nodeId)).toEqual(all);
    expect(several.statements).toHaveLength(one.statements.length);
    const historian = { 'x-api-key': await app.newKey({ storeIds: ['same'], permissions: ['READ_HISTORY'] }) };
    expect((await read([nodes[0].nodeId], historian))[0]).toBeNull();
    const menusOnly = { 'x-api-key': await app.newKey({ all: true, permissions: ['READ_MENUS'] }) };
    expect((await read([nodes[0].nodeId], menusOnly))[0]).toBeNull();
    const unknown = ['x', '1.5', `${nodes[0].revision + 1}`].map(text =>
      nodeIdOf('MenuRevision', `${text}:other:store`),
    );
    expect(await read(unknown, {})).toEqual([null, null, null]);
  });

  test('finds keys and webhooks for those who manage them, and for each key itself', async () => {
    const { body } = await app.graphql('{ viewer { nodeId id } }', {}, own);
    const { nodeId, id } = body.data.viewer;
    expect(nodeId).toBe(nodeIdOf('ApiKey', id));
    const create = `mutation { createWebhook(input: { url: "http://127.0.0.1:9/", storeId: "same", kinds: [MENU_CHANGED] }) {
      webhook { nodeId } } }`;
    const webhook = (await app.graphql(create, {}, admin)).body.data.createWebhook.webhook.nodeId;
    expect((await read([nodeId, webhook], admin)).map(node => node?.__typename)).toEqual(['ApiKey', 'Webhook']);
    expect((await read([nodeId, webhook], own)).map(node => node?.__typename)).toEqual(['ApiKey', undefined]);
    expect(await read([nodeId, webhook], await headersWith('ORDERS'))).toEqual([null, null]);
    expect(await read([nodeIdOf('ApiKey', 'a\0b')], admin)).toEqual([null]);
    const one = await app.statements.during(() => read([nodeId], own));
    const several = await app.statements.during(() => read([nodeId, nodeId, nodeId], own));
    expect(several.statements).toHaveLength(one.statements.length);
  });

  test('takes up to 100 ids, and is charged for each', async () => {
    const ids = Array.from({ length: 101 }, () => nodeIdOf('Store', 'same'));
    const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }';
    const { body } = await app.graphql(query, { ids });
    expect(body.errors[0].message).toBe('ids: the list has 101 elements; at most 100 are allowed');
    const cost = async (count: number) => {
      const headers = { 'x-carte-cost': '1' };
      const sent = await app.graphql(query, { ids: ids.slice(0, count) }, headers);
      expect(sent.body.data.nodes).toHaveLength(count);
      return sent.body.extensions?.cost;
    };
    expect(await cost(100)).toBe(100 * 11);
  });
});
