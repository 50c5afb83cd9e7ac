import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await startApp();
const operator = { 'x-api-key': await app.newKey({ name: 'operator', permissions: ['ADMIN', 'MENU', 'ORDERS'] }) };
const createdAt = '2026-01-03T00:00:00.000Z';
const store = await app.data.store({
  phone: '+351 210 000 000',
  phoneNumbers: [{ id: 'phone', phoneNumber: '+351 1', createDateTime: createdAt }],
});
await app.data.menu(store, smallMenu());
await app.data.orders(store, 2);

const quote = (line: string, variables: object = {}, declared = '') =>
  app.graphql(
    `query ${declared} { quoteOrder(input: { storeId: "${store.id}", lines: [${line}] }) { problems { path } lines { modifiers {
      old: groupExternalId modifierGroupExternalId
    } } } }`,
    variables,
    operator,
  );
const choice = (fields: string) =>
  `{ itemExternalId: "item", modifiers: [{ ${fields} modifierItemExternalId: "modifier" }] }`;

describe('the names of 0.2', () => {
  test('of fields have the values of the new ones, also in a compiled query', async () => {
    const query = `{ merchants { totalCount } oldMerchants: merchants { totalCount: count } stores { totalCount } oldStores: stores { totalCount: count }
      store(id: "${store.id}") { new: phone old: storePhone phoneNumbers { new: createdAt old: createDateTime }
      newOrders: orders { totalCount } oldOrders: orders { totalCount: count }
      newHistory: menuHistory { totalCount } oldHistory: menuHistory { totalCount: count }
      items { new: modifierGroupExternalIds old: modifierExternalIds }
      modifierItems { new: itemExternalId old: menuItemExternalId newItem: item { id } oldItem: menuItem { id }
        newGroups: modifierGroups { id } oldGroups: groups { id } } } }`;
    const [first, again] = [await app.graphql(query, {}, operator), await app.graphql(query, {}, operator)];
    expect(again.text).toBe(first.text);
    const { merchants, oldMerchants, stores, oldStores, store: found } = again.body.data;
    expect([oldMerchants, oldStores]).toEqual([merchants, stores]);
    expect(found).toMatchObject({ new: '+351 210 000 000', old: '+351 210 000 000' });
    expect(found.phoneNumbers).toEqual([{ new: createdAt, old: createdAt }]);
    expect([found.oldOrders, found.newOrders]).toEqual([{ totalCount: 2 }, { totalCount: 2 }]);
    expect(found.oldHistory).toEqual(found.newHistory);
    expect(found.items).toEqual([{ new: ['group'], old: ['group'] }]);
    const [modifierItem] = found.modifierItems;
    expect(modifierItem).toMatchObject({ new: 'item', old: 'item', newItem: { id: expect.any(String) } });
    expect([modifierItem.oldItem, modifierItem.oldGroups]).toEqual([modifierItem.newItem, modifierItem.newGroups]);
  });

  test('are deprecated, and have the directives of the new ones', () => {
    const fieldOf = (type: string, name: string) => {
      const found = loadSchema().getType(type);
      return found && 'getFields' in found ? found.getFields()[name] : undefined;
    };
    const directivesOf = (name: string) => fieldOf('MenuItem', name)?.astNode?.directives?.map(node => node.name.value);
    const expected = [...(directivesOf('modifierGroupExternalIds') ?? []), 'deprecated'];
    expect(directivesOf('modifierExternalIds')).toEqual(expected);
    expect(expected).toEqual(expect.arrayContaining(['readable', 'listSize', 'ofConfiguration']));
    expect(fieldOf('StoreInput', 'storePhone')?.deprecationReason).toBe('Use `phone`.');
    expect(String(fieldOf('PhoneNumberInput', 'createdAt')?.type)).toBe('DateTime');
    expect(fieldOf('PhoneNumberInput', 'createDateTime')?.description).toBe('When the number was added.');
    expect(fieldOf('PhoneNumberInput', 'createdAt')?.description).toBe(
      'When the number was added. Required; nullable until 1.0, since a deprecated name may be given instead.',
    );
  });

  test('of input are read as the new ones, in literals and in variables', async () => {
    const expected = [{ old: 'group', modifierGroupExternalId: 'group' }];
    for (const name of ['groupExternalId', 'modifierGroupExternalId']) {
      const modifiers = [{ [name]: 'group', modifierItemExternalId: 'modifier' }];
      const responses = [
        await quote(choice(`${name}: "group"`)),
        await quote(choice(`${name}: $group`), { group: 'group' }, '($group: String!)'),
        await quote('$line', { line: { itemExternalId: 'item', modifiers } }, '($line: OrderLineInput!)'),
      ];
      for (const { body } of responses) expect(body.data.quoteOrder.lines[0].modifiers).toEqual(expected);
    }
    const { items, modifierItems, ...menu } = smallMenu();
    const input = {
      ...menu,
      items: items.map(({ modifierGroupExternalIds, ...item }) => ({
        ...item,
        modifierExternalIds: modifierGroupExternalIds,
      })),
      modifierItems: modifierItems?.map(({ itemExternalId, ...item }) => ({
        ...item,
        menuItemExternalId: itemExternalId,
      })),
    };
    const replace = `mutation ($id: ID!, $input: MenuConfigurationInput!) { replaceMenuConfiguration(storeId: $id, input: $input) {
      store { items { modifierGroups { externalId } } modifierItems { item { externalId } } } } }`;
    const replaced = await app.graphql(replace, { id: store.id, input }, operator);
    expect(replaced.body.data.replaceMenuConfiguration.store).toEqual({
      items: [{ modifierGroups: [{ externalId: 'group' }] }],
      modifierItems: [{ item: { externalId: 'item' } }],
    });
    const phoneNumbers = [{ id: 'p', phoneNumber: '+351 2', createDateTime: createdAt }];
    const saved = await app.graphql(
      'mutation ($input: StoreInput!) { saveStore(input: $input) { store { phone phoneNumbers { createdAt } } } }',
      { input: { id: 'saved', name: { en: 'Saved' }, storePhone: '+351 3', phoneNumbers } },
      operator,
    );
    expect(saved.body.data.saveStore.store).toEqual({ phone: '+351 3', phoneNumbers: [{ createdAt }] });
  });

  test('of input cannot be given beside the new ones, and one of both must be', async () => {
    const path = ['input', 'lines', 0, 'modifiers', 0];
    const both = await quote(choice('groupExternalId: "group" modifierGroupExternalId: "group"'));
    expect(both.body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [
        {
          path: [...path, 'groupExternalId'],
          type: 'value_error',
          message: 'cannot be combined with modifierGroupExternalId',
        },
      ],
    });
    const modifiers = [{ modifierItemExternalId: 'modifier' }];
    const none = await quote('$line', { line: { itemExternalId: 'item', modifiers } }, '($line: OrderLineInput!)');
    expect(none.body.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: [...path, 'modifierGroupExternalId'], type: 'missing' }],
    });
  });
});
