import { expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();

const item = (external_id: string, name: string, description = '') => ({
  external_id,
  name: { translations: { en: name } },
  description: { translations: { en: description } },
  price: 1,
  tax: 0,
  sell_separately: true,
});

async function storeWith(...items: ReturnType<typeof item>[]): Promise<string> {
  const { id } = await app.data.store();
  const category = {
    external_id: 'all',
    name: { translations: {} },
    item_external_ids: items.map(each => each.external_id),
  };
  const menu = { external_id: 'menu', availability: [], category_external_ids: ['all'] };
  const body = { items, categories: [category], menus: [menu] };
  expect((await app.post(`/v1/stores/${id}/menu_configuration/`, body)).status).toBe(200);
  return id;
}

/** Searches a store; the error where there is one. */
async function find(id: string, args: string) {
  const page =
    'nodes { externalId } edges { cursor node { externalId } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }';
  const { body } = await app.graphql(`query ($id: ID!) { store(id: $id) { searchItems(${args}) { ${page} } } }`, {
    id,
  });
  if (body.errors) return body.errors[0].extensions;
  const { nodes, edges, pageInfo } = body.data.store.searchItems;
  expect(edges.map(({ node }: { node: object }) => node)).toEqual(nodes);
  expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]);
  return {
    ids: nodes.map(({ externalId }: { externalId: string }) => externalId),
    flags: [pageInfo.hasPreviousPage, pageInfo.hasNextPage],
    endCursor: pageInfo.endCursor,
  };
}

test('searchItems finds items by all words, ignoring case and diacritics', async () => {
  const id = await storeWith(item('a', 'Pão de queijo'), item('b', 'PAO', 'with cheese'), item('c', 'Queijo'));
  expect((await find(id, 'search: "pao"')).ids).toEqual(['a', 'b']);
  expect((await find(id, 'search: "QUEIJO pão"')).ids).toEqual(['a']);
  expect(await find(id, 'search: "none"')).toEqual({ ids: [], flags: [false, false], endCursor: null });
});

test('searchItems has pages by cursor, of what it has found', async () => {
  const id = await storeWith(item('a', 'Pão'), item('b', 'Queijo'), item('c', 'Pão'), item('d', 'Pão'));
  const first = await find(id, 'search: "pao", first: 2');
  expect(first).toMatchObject({ ids: ['a', 'c'], flags: [false, true] });
  const second = await find(id, `search: "pao", first: 2, after: "${first.endCursor}"`);
  expect(second).toMatchObject({ ids: ['d'], flags: [true, false] });
  const beyond = await find(id, `search: "pao", first: 2, after: "${second.endCursor}"`);
  expect(beyond).toEqual({ ids: [], flags: [true, false], endCursor: null });
  expect(await find(id, 'first: 4')).toMatchObject({ ids: ['a', 'b', 'c', 'd'], flags: [false, false] });
});

test('searchItems reports everything that is wrong', async () => {
  const { id } = await app.data.store();
  const { body } = await app.graphql('{ stores(first: 1) { pageInfo { endCursor } } }');
  const ofStores = body.data.stores.pageInfo.endCursor;
  expect(await find(id, `search: "${'x'.repeat(201)}", first: 101, after: "${ofStores}"`)).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: [{ path: ['search'] }, { path: ['first'] }, { path: ['after'] }],
  });
});

test('many searches in one request cost as much as the texts that they look at', async () => {
  const text = 'Grilled with lemon. '.repeat(4_000);
  const id = await storeWith(...['a', 'b', 'c', 'd'].map(each => item(each, each, text)));
  const search = async (count: number) => {
    const aliases = Array.from(
      { length: count },
      (_, at) => `a${at}: searchItems(search: "no ${at}") { nodes { externalId } }`,
    );
    return (await app.graphql(`query ($id: ID!) { store(id: $id) { ${aliases.join(' ')} } }`, { id })).body;
  };
  expect((await search(5)).errors).toBeUndefined();
  expect((await search(90)).errors[0].extensions.code).toBe('QUERY_TOO_COMPLEX');
});
