import { describe, expect, test } from 'vitest';
import { findAvailableItems, type OrderLine } from '../../src/demo/order-lines.ts';
import { type DemoOrder, demoOrders } from '../../src/demo/orders.ts';
import { demoStores, expectAscending, find, idsOf, repeated, sum } from '../support/demo.ts';

describe('the demo orders', () => {
  const stores = demoStores();
  const now = new Date('2026-03-12T20:10:00.000Z');
  const orders = demoOrders(stores, now);
  const storeOf = ({ store }: DemoOrder) => find(stores, ({ id }) => id === store.id);

  test('are deterministic for a given time', () => {
    expect(demoOrders(stores, now)).toEqual(orders);
  });

  test('are about 400, oldest first, with UUIDv7 ids of their creation times', () => {
    expectAscending([390, orders.length, 410]);
    expect(repeated(orders.map(({ id }) => id))).toEqual([]);
    expectAscending(orders.map(({ created_at }) => Date.parse(created_at)));
    for (const { id, created_at } of orders) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse(created_at));
    }
  });

  test.each([0, 17, 34, 51, 68, 85, 102, 119, 136, 153])('have all seven statuses %i hours later', hours => {
    const later = demoOrders(stores, new Date(now.getTime() + hours * 3_600_000));
    expect(new Set(later.map(({ status }) => status)).size).toBe(7);
  });

  test('have consistent timestamps and flags', () => {
    for (const { status, created_at, ready_by, completed_at, is_read, in_pos } of orders) {
      const created = Date.parse(created_at);
      expectAscending([now.getTime() - 14 * 86_400_000, created, Math.min(Date.parse(ready_by), now.getTime())]);
      expect(completed_at !== undefined).toBe(status === 'FULFILLED');
      if (completed_at !== undefined) expectAscending([created, Date.parse(completed_at), now.getTime()]);
      if (['PENDING', 'ACCEPTED', 'READY'].includes(status)) expectAscending([now.getTime() - 3_600_000, created]);
      if (in_pos) expect(is_read).toBe(true);
    }
  });

  test('contain items that were available when they were placed', () => {
    for (const order of orders.filter(({ status }) => status === 'FULFILLED')) {
      const available = idsOf(findAvailableItems(storeOf(order), new Date(order.created_at)));
      expect(available).toEqual(expect.arrayContaining(order.items.map(({ external_id }) => external_id)));
    }
  });

  test('cost the sum of their lines, at the prices of the menu', () => {
    for (const order of orders) {
      const { items, modifierItems } = storeOf(order).menu;
      expect(order).toMatchObject({ price: cost(order.items, 'price'), tax: cost(order.items, 'tax') });
      for (const { external_id: id, price, modifiers: chosen } of order.items) {
        expect(find(items, item => item.externalId === id).price).toBe(price);
        for (const line of chosen) {
          const { priceChange } = find(modifierItems, ({ externalId }) => externalId === line.external_id);
          expect([0, priceChange]).toContain(line.price);
        }
      }
    }
  });

  test('have customers with names in several scripts, and some comments', () => {
    const names = orders.map(({ customer }) => customer.name).join();
    for (const script of [/[çãéñ]/u, /\p{Script=Cyrillic}/u, /\p{Script=Han}/u]) expect(names).toMatch(script);
    expectAscending([40, orders.filter(({ customer_comments: words }) => words !== undefined).length, 120]);
  });
});

function cost(lines: readonly OrderLine[], what: 'price' | 'tax'): number {
  return sum(lines.map(line => line.quantity * (line[what] + cost(line.modifiers, what))));
}
