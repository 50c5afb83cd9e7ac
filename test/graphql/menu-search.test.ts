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

test('searchItems finds items by all words, ignoring case and diacritics, page by page', async () => {
  const id = await storeWith(item('a', 'Pão de queijo'), item('b', 'PAO', 'with cheese'), item('c', 'Queijo'));
  const find = async (given: string) => {
    const { body } = await app.graphql(`query ($id: ID!) { store(id: $id) { searchItems(${given}) { externalId } } }`, {
      id,
    });
    return (
      body.errors?.[0].extensions.code ??
      body.data.store.searchItems.map((found: { externalId: string }) => found.externalId)
    );
  };
  expect(await find('search: "pao"')).toEqual(['a', 'b']);
  expect(await find('search: "QUEIJO pão"')).toEqual(['a']);
  expect(await find('first: 1, skip: 1')).toEqual(['b']);
  expect(await find(`search: "${'x'.repeat(201)}"`)).toBe('BAD_USER_INPUT');
});

test('many searches in one request cost as much as the texts that they look at', async () => {
  const text = 'Grilled with lemon. '.repeat(4_000);
  const id = await storeWith(...['a', 'b', 'c', 'd'].map(each => item(each, each, text)));
  const search = async (count: number) => {
    const aliases = Array.from({ length: count }, (_, at) => `a${at}: searchItems(search: "no ${at}") { externalId }`);
    return (await app.graphql(`query ($id: ID!) { store(id: $id) { ${aliases.join(' ')} } }`, { id })).body;
  };
  expect((await search(5)).errors).toBeUndefined();
  expect((await search(90)).errors[0].extensions.code).toBe('QUERY_TOO_COMPLEX');
});
