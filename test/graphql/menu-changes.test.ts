import { describe, expect, test } from 'vitest';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();
const store = await app.data.store({ country: 'PT' });
const revisions: number[] = [];

/** Replaces the menu and notes its revision. */
async function replace(input: ConfigurationInput): Promise<void> {
  const mutation =
    'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';
  const { body } = await app.graphql(mutation, { input: { storeId: store.id, ...input } });
  revisions.push(body.data.replaceMenuConfiguration.store.menuRevision);
}

const menu = smallMenu();
const [item] = menu.items;
if (!item) throw new Error('The menu has no item');
const soup = { ...item, externalId: 'soup', name: { translations: { en: 'Soup', ar: 'شوربة' } } };
await replace(menu);
await replace({ ...menu, items: [{ ...item, price: 1000, inStock: false }] });
await replace({
  ...menu,
  categories: (menu.categories ?? []).map(category => ({ ...category, itemExternalIds: ['soup', 'item'] })),
  items: [{ ...item, price: 1000, inStock: false }, soup],
});
const [first = 0, second = 0, third = 0] = revisions;

async function readChanges(args: object, selection: string, { id } = store, key = app.key) {
  const query = `query ($id: ID!, $from: SafeInt!, $to: SafeInt, $first: Int, $after: String) {
    store(id: $id) { menuChanges(from: $from, to: $to, first: $first, after: $after) { ${selection} } }
  }`;
  const { body } = await app.graphql(query, { id, ...args }, { 'x-api-key': key });
  return body.errors ? { errors: body.errors[0].extensions } : body.data.store.menuChanges;
}

describe('Store.menuChanges', () => {
  test('has every difference from a revision to the current one, with its place, as values and as text', async () => {
    const all = `from to totalCount pageInfo { hasNextPage } summary counts { kind added changed removed } reordered entities {
      change kind externalId name { text(languages: ["ar"]) } path { kind name { text } } parentCount summary
      fields { field key label before after beforeText afterText }
      placements { change parent { kind externalId } positionBefore position previous { externalId } }
    }`;
    const changes = await readChanges({ from: first }, all);
    const path = ['MENU', 'CATEGORY'].map(kind => ({ kind, name: { text: 'Lunch' } }));
    expect(changes).toMatchObject({
      from: first,
      to: third,
      totalCount: 2,
      pageInfo: { hasNextPage: false },
      summary: '1 item added, 1 item changed',
      counts: [{ kind: 'ITEM', added: 1, changed: 1, removed: 0 }],
      reordered: [],
    });
    expect(changes.entities[0]).toMatchObject({ change: 'ADDED', kind: 'ITEM', externalId: 'soup', path });
    expect(changes.entities[0].name.text).toBe('شوربة');
    expect(changes.entities[0].summary).toBe('€9.50; with Lunch');
    expect(changes.entities[0].fields).toContainEqual({
      ...{ field: 'price', key: null, label: 'price' },
      ...{ before: null, after: 950, beforeText: null, afterText: '€9.50' },
    });
    expect(changes.entities[0].fields).toContainEqual(
      expect.objectContaining({ field: 'name', key: 'ar', label: 'name (ar)', after: 'شوربة' }),
    );
    expect(changes.entities[0].placements).toEqual([
      {
        ...{ change: 'ADDED', parent: { kind: 'CATEGORY', externalId: 'category' } },
        ...{ positionBefore: null, position: 0, previous: null },
      },
    ]);
    expect(changes.entities[1]).toEqual({
      ...{ change: 'CHANGED', kind: 'ITEM', externalId: 'item', name: { text: 'Lunch' }, path, parentCount: 1 },
      summary: 'price €9.50 → €10.00; sold out',
      fields: [
        {
          ...{ field: 'price', key: null, label: 'price' },
          ...{ before: 950, after: 1000, beforeText: '€9.50', afterText: '€10.00' },
        },
        {
          ...{ field: 'inStock', key: null, label: 'in stock' },
          ...{ before: true, after: false, beforeText: 'yes', afterText: 'no' },
        },
      ],
      placements: [],
    });
  });

  test('compares two past revisions, and finds nothing between a revision and itself', async () => {
    const selection = 'summary entities { externalId }';
    expect(await readChanges({ from: first, to: second }, selection)).toEqual({
      summary: '1 item changed',
      entities: [{ externalId: 'item' }],
    });
    expect(await readChanges({ from: second, to: second }, selection)).toEqual({
      summary: 'nothing changed',
      entities: [],
    });
  });

  test('is read by pages, and tells when there is more', async () => {
    const selection =
      'totalCount pageInfo { hasPreviousPage hasNextPage startCursor endCursor } entities { externalId }';
    const page = await readChanges({ from: first, first: 1 }, selection);
    expect(page).toMatchObject({
      ...{
        totalCount: 2,
        pageInfo: { hasPreviousPage: false, hasNextPage: true, startCursor: page.pageInfo.endCursor },
      },
      entities: [{ externalId: 'soup' }],
    });
    expect(await readChanges({ from: first, first: 1, after: page.pageInfo.endCursor }, selection)).toMatchObject({
      ...{ totalCount: 2, pageInfo: { hasPreviousPage: true, hasNextPage: false } },
      entities: [{ externalId: 'item' }],
    });
  });

  test('from a later revision to an earlier one is what restoring that one changes', async () => {
    const selection = 'from to summary entities { change externalId summary fields { beforeText afterText } }';
    expect(await readChanges({ from: third, to: first }, selection)).toMatchObject({
      ...{ from: third, to: first, summary: '1 item changed, 1 item removed' },
      entities: [
        { change: 'REMOVED', externalId: 'soup' },
        { change: 'CHANGED', summary: 'price €10.00 → €9.50; back in stock' },
      ],
    });
  });

  test('names the revision that there is not', async () => {
    const other = await app.data.store();
    await app.data.menu(other);
    const errorOf = async (args: object, of = store) => (await readChanges(args, 'totalCount', of)).errors.errors;
    expect(await errorOf({ from: first + 1 })).toMatchObject([{ path: ['from'], type: 'revision_not_found' }]);
    expect(await errorOf({ from: first, to: third + 1 })).toMatchObject([{ path: ['to'] }]);
    expect(await errorOf({ from: first }, other)).toMatchObject([{ path: ['from'] }]);
    expect(await errorOf({ from: first, first: 1001, after: 'x' })).toMatchObject([
      { path: ['first'] },
      { path: ['after'] },
    ]);
  });
});
