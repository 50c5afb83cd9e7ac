import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();

describe('Store', () => {
  test('links to every kind of menu entity, and each of them back to it', async () => {
    const store = await app.data.store();
    await app.data.menu(store, smallMenu('Soup'));
    const { body } = await app.graphql(
      `query ($id: ID!) { store(id: $id) {
        menuRevision
        menuLanguages
        menus { name { text(languages: ["en"]) } categories { externalId menus { externalId } } store { id } }
        categories { items { externalId categories { externalId } } store { id } }
        items { price { amount } inStock modifierGroups { externalId usedByItems { externalId } } usedAsModifierItems { externalId } store { id } }
        modifierGroups { modifierItems { externalId modifierGroups { externalId } } store { id } }
        modifierItems { item { externalId } store { id } }
        menu(externalId: "menu") { externalId }
        category(externalId: "category") { externalId }
        item(externalId: "item") { externalId }
        modifierGroup(externalId: "group") { externalId }
        modifierItem(externalId: "modifier") { externalId }
        absent: item(externalId: "no such") { externalId }
      } }`,
      { id: store.id },
    );
    const back = { id: store.id };
    expect(body.errors).toBeUndefined();
    expect(body.data.store).toEqual({
      menuRevision: expect.any(Number),
      menuLanguages: ['en'],
      menus: [
        {
          name: { text: 'Soup' },
          categories: [{ externalId: 'category', menus: [{ externalId: 'menu' }] }],
          store: back,
        },
      ],
      categories: [{ items: [{ externalId: 'item', categories: [{ externalId: 'category' }] }], store: back }],
      items: [
        {
          price: { amount: 950 },
          inStock: true,
          modifierGroups: [{ externalId: 'group', usedByItems: [{ externalId: 'item' }] }],
          usedAsModifierItems: [{ externalId: 'modifier' }],
          store: back,
        },
      ],
      modifierGroups: [
        { modifierItems: [{ externalId: 'modifier', modifierGroups: [{ externalId: 'group' }] }], store: back },
      ],
      modifierItems: [{ item: { externalId: 'item' }, store: back }],
      menu: { externalId: 'menu' },
      category: { externalId: 'category' },
      item: { externalId: 'item' },
      modifierGroup: { externalId: 'group' },
      modifierItem: { externalId: 'modifier' },
      absent: null,
    });
  });

  test('has entities with ids that are unique among all kinds, and have the numbers of REST', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    const { body } = await app.graphql(
      `query ($id: ID!) { store(id: $id) {
        menus { id } categories { id } items { id } modifierGroups { id } modifierItems { id }
      } }`,
      { id: store.id },
    );
    const { body: flat } = await app.get(`/v1/stores/${store.id}/menu_configuration/flat`);
    const numbers = [flat.menus, flat.categories, flat.items, flat.modifier_groups, flat.modifier_items].map(
      ([entity]) => entity.id,
    );
    expect(Object.values(body.data.store).flat()).toEqual(
      ['menu', 'category', 'item', 'modifier_group', 'modifier_item'].map((kind, index) => ({
        id: `${kind}_${numbers[index]}`,
      })),
    );
  });

  test('filters menus by availability, in its own timezone and past midnight, and finds the next time', async () => {
    const store = await app.data.store({ timezone: 'America/New_York' });
    const [menu] = smallMenu().menus ?? [];
    if (!menu) throw new Error('the small menu has a menu');
    await app.data.menu(store, {
      ...smallMenu(),
      menus: [
        { ...menu, externalId: 'lunch' },
        {
          ...menu,
          externalId: 'night',
          availability: [{ dayOfWeek: 'SUN', timePeriods: [{ startTime: '22:00', endTime: '02:00' }] }],
        },
      ],
    });
    const availableAt = async (at: string) => {
      const { body } = await app.graphql(
        'query ($id: ID!, $at: DateTime) { store(id: $id) { menus(availableAt: $at) { externalId } } }',
        { id: store.id, at },
      );
      return body.data.store.menus.map((found: { externalId: string }) => found.externalId);
    };
    expect(await availableAt('2026-03-02T17:00:00Z')).toEqual(['lunch']); // Monday noon
    expect(await availableAt('2026-03-02T06:30:00Z')).toEqual(['night']); // Monday 01:30
    expect(await availableAt('2026-03-02T07:00:00Z')).toEqual([]); // Monday 02:00
    const { body } = await app.graphql(
      'query ($id: ID!, $at: DateTime!) { store(id: $id) { menus { nextAvailableAt(from: $at) } } }',
      { id: store.id, at: '2026-03-02T07:00:00Z' },
    );
    expect(body.data.store.menus).toEqual([
      { nextAvailableAt: '2026-03-02T16:00:00.000Z' },
      // In summer time, which starts on this day.
      { nextAvailableAt: '2026-03-09T02:00:00.000Z' },
    ]);
  });
});
