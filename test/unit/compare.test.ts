import { readRoutes } from '@carte/compare/routes';
import { within } from '@carte/compare/values';
import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract.ts';

const contract = loadContract(loadSchema());

/** Compares two bodies of a route; one line per difference. */
function differences(
  path: string,
  before: unknown,
  after: unknown,
  strictness = { ids: false, order: false },
): string[] {
  const route = readRoutes([contract], strictness).find(candidate => candidate.path === path);
  const found = within({ type: 'body', id: '', local: false }, route?.compare(before, after) ?? []);
  return [...found].map(({ kind, subject, field, ...values }) => {
    const [oldValue, newValue] = [values.old, values.new].map(value => JSON.stringify(value));
    return `${kind} ${subject.type} ${[subject.id, ...field].join('.')}: ${oldValue} → ${newValue}`;
  });
}

const strict = { ids: true, order: true };
const store = '/v1/stores/{store_service_id}';
const orders = '/v1/stores/{store_service_id}/orders/';
const tree = '/v1/stores/{store_service_id}/menu_configuration/';
const flat = '/v1/stores/{store_service_id}/menu_configuration/flat';

const name = (text: string) => ({ translations: { en: text } });
const item = (id: string, more: object = {}) => ({ id: 1, external_id: id, name: name(id), price: 1, ...more });
const treeOf = (...items: readonly object[]) => ({
  menu_configuration: [{ id: 1, external_id: 'menu', categories: [{ id: 1, external_id: 'category', items }] }],
});

describe('the compared routes', () => {
  test('are all GET routes, each with the type of its id and of its entities', () => {
    const routes = readRoutes([contract], strict).map(({ path, idType, entityType, paging }) => [
      path,
      idType,
      entityType,
      paging,
    ]);
    expect(routes.sort()).toEqual([
      ['/v1/merchants/', undefined, 'Merchant', 'offset'],
      ['/v1/merchants/{merchant_service_id}', 'Merchant', 'Merchant', undefined],
      ['/v1/orders/{order_service_id}', 'Order', 'Order', undefined],
      ['/v1/stores/', undefined, 'Store', 'offset'],
      [store, 'Store', 'Store', undefined],
      [tree, 'Store', undefined, undefined],
      [flat, 'Store', undefined, undefined],
      [orders, 'Store', 'Order', 'pages'],
    ]);
  });
});

describe('no difference is reported for', () => {
  test.each([
    ['an optional field that is null or absent', store, { id: 's', city: null }, { id: 's' }],
    ['an optional list that is empty, null or absent', flat, { items: [], menus: null }, { categories: [] }],
    ['a constant of the contract that is absent', orders, { count: 1 }, { count: 1, result_code: '000000' }],
    [
      'two notations of the same instant',
      store,
      { created_at: '2026-03-01T12:00:00+01:00' },
      { created_at: '2026-03-01T11:00:00.000Z' },
    ],
    ['the order of keys', store, { name: { a: 1, b: 2 } }, { name: { b: 2, a: 1 } }],
    ['numeric ids assigned by the service', tree, treeOf(item('a', { id: 1 })), treeOf(item('a', { id: 2 }))],
    ['the order of flat lists', flat, { items: [item('a'), item('b')] }, { items: [item('b'), item('a')] }],
    [
      'the order of labels',
      tree,
      treeOf(item('a', { dietary_labels: ['VEGAN', 'GLUTEN_FREE'] })),
      treeOf(item('a', { dietary_labels: ['GLUTEN_FREE', 'VEGAN'] })),
    ],
  ])('%s', (_case, path, before, after) => {
    expect(differences(path, before, after)).toEqual([]);
  });

  test('numeric ids and the order of lists, unless the comparison is strict', () => {
    expect(differences(tree, treeOf(item('a', { id: 1 })), treeOf(item('a', { id: 2 })), strict)).toEqual([
      'value MenuItem a.id: 1 → 2',
    ]);
    expect(differences(flat, { items: [item('a'), item('b')] }, { items: [item('b'), item('a')] }, strict)).toEqual([
      'order body .items.0: "a" → "b"',
    ]);
  });
});

describe('one difference is reported for', () => {
  test.each([
    [
      'a key that every object inherits',
      store,
      { id: 's', name: { constructor: {} } },
      { id: 's', name: {} },
      'shape Store s.name.constructor: {} → undefined',
    ],
    ['a value', store, { id: 's', city: 'Faro' }, { id: 's', city: 'Lagos' }, 'value Store s.city: "Faro" → "Lagos"'],
    ['a JSON type', store, { id: 's', city: '1' }, { id: 's', city: 1 }, 'shape Store s.city: "1" → 1'],
    [
      'a field that only one body has',
      store,
      { id: 's' },
      { id: 's', city: 'Faro' },
      'shape Store s.city: undefined → "Faro"',
    ],
    [
      'a required list that is absent',
      tree,
      {},
      { menu_configuration: [] },
      'shape body .menu_configuration: undefined → []',
    ],
    ['an undocumented field', store, { id: 's', mood: 1 }, { id: 's', mood: 2 }, 'value Store s.mood: 1 → 2'],
    [
      'an instant',
      store,
      { id: 's', created_at: '2026-03-01T12:00:00Z' },
      { id: 's', created_at: '2026-03-01T12:00:00+01:00' },
      'value Store s.created_at: "2026-03-01T12:00:00Z" → "2026-03-01T12:00:00+01:00"',
    ],
    [
      'a null within arbitrary JSON',
      orders,
      { order_result_list: [{ id: 'o', items: [{ a: null }] }] },
      { order_result_list: [{ id: 'o', items: [{}] }] },
      'shape Order o.items.0.a: null → undefined',
    ],
    [
      'a field of a nested entity',
      store,
      { id: 's', merchant: { id: 'm', brand_name: 'A' } },
      { id: 's', merchant: { id: 'm', brand_name: 'B' } },
      'value Merchant m.brand_name: "A" → "B"',
    ],
    [
      'a reference to another entity',
      store,
      { id: 's', merchant: { id: 'm', brand_name: 'A' } },
      { id: 's', merchant: { id: 'n', brand_name: 'B' } },
      'value Store s.merchant.id: "m" → "n"',
    ],
    [
      'an entity that is missing in the middle of a list',
      tree,
      treeOf(item('a'), item('b'), item('c')),
      treeOf(item('a'), item('c')),
      'missing MenuItem b: "b" → undefined',
    ],
    [
      'an entity that is listed twice',
      tree,
      treeOf(item('a'), item('a')),
      treeOf(item('a')),
      'missing MenuItem a: "a" → undefined',
    ],
    [
      'the order of items on a menu',
      tree,
      treeOf(item('a'), item('b')),
      treeOf(item('b'), item('a')),
      'order Category category.items.0: "a" → "b"',
    ],
    [
      'the order of references',
      flat,
      { categories: [{ external_id: 'c', item_external_ids: ['a', 'b'] }] },
      { categories: [{ external_id: 'c', item_external_ids: ['b', 'a'] }] },
      'value Category c.item_external_ids.0: "a" → "b"',
    ],
    [
      'a label',
      tree,
      treeOf(item('a', { dietary_labels: ['VEGAN', 'GLUTEN_FREE'] })),
      treeOf(item('a', { dietary_labels: ['GLUTEN_FREE'] })),
      'shape MenuItem a.dietary_labels.0: "VEGAN" → undefined',
    ],
    ['a body that is not an object', store, [], { id: 's' }, 'shape body : [] → {"id":"s"}'],
  ])('%s', (_case, path, before, after, line) => {
    expect(differences(path, before, after)).toEqual([line]);
  });
});
