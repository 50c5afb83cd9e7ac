import { expect, test } from 'vitest';
import { createOrderId } from '../../src/order/entities.ts';

const at = (text: string) => createOrderId(new Date(text));

test('an order id is a UUIDv7 of the creation time', () => {
  expect(at('2026-03-01T12:00:00.123Z')).toMatch(/^019ca945-0a7b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('order ids sort by creation time', () => {
  const ids = [
    '1969-12-31T00:00:00Z',
    '2026-03-01T12:00:00.123Z',
    '2026-03-01T12:00:00.124Z',
    '9999-12-31T00:00:00Z',
  ].map(at);
  expect(ids).toEqual([...ids].sort());
});

test('orders with the same creation time get distinct ids', () => {
  const ids = Array.from({ length: 1000 }, () => at('2026-03-01T12:00:00Z'));
  expect(new Set(ids).size).toBe(1000);
});
