import { describe, expect, test } from 'vitest';
import type { OrderLine } from '../../src/demo/basket.ts';
import { itemsOnSale } from '../../src/demo/menu.ts';
import { type DemoOrder, demoOrders } from '../../src/demo/orders.ts';
import { demoStores, expectAscending, find, idsOf, repeated, sum } from '../support/demo.ts';

describe('the demo orders', () => {
  const stores = demoStores();
  const now = new Date('2026-03-12T20:10:00.000Z');
  const orders = demoOrders({ stores, now });
  const menuOf = ({ store }: DemoOrder) => find(stores, ({ id }) => id === store.id);

  test('are the same for the same moment', () => {
    expect(demoOrders({ stores, now })).toEqual(orders);
  });

  test('are about four hundred, oldest first, under ids that carry their time', () => {
    expectAscending([390, orders.length, 410]);
    expect(repeated(orders.map(({ id }) => id))).toEqual([]);
    expectAscending(orders.map(({ created_at }) => Date.parse(created_at)));
    for (const { id, created_at } of orders) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse(created_at));
    }
  });

  test.each([0, 17, 34, 51, 68, 85, 102, 119, 136, 153])('are in all seven states %i hours later', hours => {
    const later = demoOrders({ stores, now: new Date(now.getTime() + hours * 3_600_000) });
    expect(new Set(later.map(({ status }) => status)).size).toBe(7);
  });

  test('happen one step after the other', () => {
    for (const { status, created_at, ready_by, completed_at, is_read, in_pos } of orders) {
      const created = Date.parse(created_at);
      expectAscending([now.getTime() - 14 * 86_400_000, created, Math.min(Date.parse(ready_by), now.getTime())]);
      expect(completed_at !== undefined).toBe(status === 'FULFILLED');
      if (completed_at !== undefined) expectAscending([created, Date.parse(completed_at), now.getTime()]);
      if (['PENDING', 'ACCEPTED', 'READY'].includes(status)) expectAscending([now.getTime() - 3_600_000, created]);
      if (in_pos) expect(is_read).toBe(true);
    }
  });

  test('hold what was on sale when they were placed', () => {
    for (const order of orders.filter(({ status }) => status === 'FULFILLED')) {
      const onSale = idsOf(itemsOnSale(menuOf(order), new Date(order.created_at)));
      expect(onSale).toEqual(expect.arrayContaining(idsOf(order.items)));
    }
  });

  test('cost what their lines cost, at the prices of the menu', () => {
    for (const order of orders) {
      const { items, modifier_items: modifiers } = menuOf(order).menu;
      expect(order).toMatchObject({ price: cost(order.items, 'price'), tax: cost(order.items, 'tax') });
      for (const { external_id: id, price, modifiers: chosen } of order.items) {
        expect(find(items, item => item.external_id === id).price).toBe(price);
        for (const line of chosen) {
          expect([0, find(modifiers, ({ external_id }) => external_id === line.external_id).price_change]).toContain(
            line.price,
          );
        }
      }
    }
  });

  test('come from people of many scripts, some with a comment', () => {
    const names = orders.map(({ customer }) => customer.name).join();
    for (const script of [/[çãéñ]/u, /\p{Script=Cyrillic}/u, /\p{Script=Han}/u]) expect(names).toMatch(script);
    expectAscending([40, orders.filter(({ customer_comments: words }) => words !== undefined).length, 120]);
  });
});

function cost(lines: readonly OrderLine[], what: 'price' | 'tax'): number {
  return sum(lines.map(line => line.quantity * (line[what] + cost(line.modifiers, what))));
}
