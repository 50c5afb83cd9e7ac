import { describe, expect, test } from 'vitest';
import type { OrderStatus } from '../../src/generated/graph.ts';
import { checkSearch } from '../../src/order/arguments.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, namesOf } from '../support/orders.ts';

const { query, search, createStore, findNames, findErrors } = createOrderGraph(await createDatabase());

const at = (text: string) => ({ createdAt: new Date(text) });
const withName = (customerName: string) => ({ customerName });
const withPhone = (customerPhone: string) => ({ customerPhone });

test('orders are sorted by creation, newest first, then by id, descending', async () => {
  const store = await createStore({
    a: at('2026-03-01T10:00:00Z'),
    c: at('2026-03-02T09:00:00Z'),
    b: at('2026-03-01T10:00:00Z'),
    d: at('2026-03-01T10:00:00.001Z'),
  });
  const { ids } = await search(store);
  expect(namesOf(ids)).toEqual(['c', 'd', 'b', 'a']);
});

test('completedOrders are sorted by completion, the last one first, and by creation where that is not known', async () => {
  const completed = (created: string, completedAt: string | null, status: OrderStatus = 'FULFILLED') => ({
    ...at(`2026-03-${created}T10:00:00Z`),
    completedAt: completedAt === null ? null : new Date(`2026-03-${completedAt}T10:00:00Z`),
    status,
  });
  const store = await createStore({
    early: completed('01', '09'),
    late: completed('07', '08', 'REJECTED'),
    unknown: completed('06', null, 'CUSTOMER_CANCELLED'),
    old: completed('02', '03'),
    open: completed('09', null, 'READY'),
  });
  const find = async (args: string) => {
    const found = await query(`query ($store: ID!) { store(id: $store) { completedOrders${args} { id } } }`, { store });
    return namesOf(found.store.completedOrders.map(({ id }: { id: string }) => id));
  };
  expect(await find('')).toEqual(['early', 'late', 'unknown', 'old']);
  expect(await find('(first: 2)')).toEqual(['early', 'late']);
  await expect(find('(first: 0)')).rejects.toThrow('first');
});

describe('createdFrom and createdUntil', () => {
  const orders = {
    before: at('2026-03-01T09:59:59.999Z'),
    first: at('2026-03-01T10:00:00Z'),
    midnight: at('2026-03-03T00:00:00Z'),
    last: at('2026-03-04T12:00:00Z'),
    after: at('2026-03-04T12:00:00.001Z'),
  };
  const createdFrom = new Date('2026-03-01T10:00:00Z');
  const createdUntil = new Date('2026-03-04T12:00:00Z');

  test('are inclusive', async () => {
    expect(await findNames(await createStore(orders), { createdFrom, createdUntil })).toEqual([
      'first',
      'last',
      'midnight',
    ]);
  });

  test('may be used separately', async () => {
    const store = await createStore(orders);
    expect(await findNames(store, { createdFrom })).toEqual(['after', 'first', 'last', 'midnight']);
    expect(await findNames(store, { createdUntil })).toEqual(['before', 'first', 'last', 'midnight']);
  });

  test('may be equal', async () => {
    const midnight = new Date('2026-03-03T00:00:00Z');
    expect(await findNames(await createStore(orders), { createdFrom: midnight, createdUntil: midnight })).toEqual([
      'midnight',
    ]);
  });

  test('may be the first and last date that is supported', async () => {
    const store = await createStore(orders);
    const everything = {
      createdFrom: new Date('0000-01-01T00:00:00Z'),
      createdUntil: new Date('9999-12-31T23:59:59.999Z'),
    };
    expect(await findNames(store, everything)).toHaveLength(5);
    expect(await findNames(store, { createdFrom: everything.createdUntil })).toEqual([]);
    expect(await findNames(store, { createdUntil: everything.createdFrom })).toEqual([]);
  });

  test('a start after the end is rejected', async () => {
    const errors = await findErrors({ filter: { createdFrom: createdUntil, createdUntil: createdFrom } });
    expect(errors).toMatchObject([{ path: ['filter', 'createdFrom'], type: 'value_error' }]);
  });
});

describe('customerName', () => {
  test('matches any part of the name', async () => {
    const store = await createStore({ ana: withName('Ana Lima'), liam: withName('Liam'), joana: withName('Joana Sá') });
    expect(await findNames(store, { customerName: 'ana' })).toEqual(['ana', 'joana']);
    expect(await findNames(store, { customerName: 'a Lim' })).toEqual(['ana']);
    expect(await findNames(store, { customerName: 'nobody' })).toEqual([]);
  });

  test.each([
    ['ÉLODIE', 'élodie'],
    ['Дмитрий', 'дМИТ'],
    ['Straße', 'STRASSE'],
    ['Strasse', 'straße'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['Οδυσσεύς', 'ΣΣΕΎΣ'],
    ['ǅemal', 'ǆEMAL'],
    ['Ꮳ cherokee', 'ꮳ CHER'],
    ['田中 花子', '田中'],
    ['김', '김'],
  ])('%s is found by %s', async (name, customerName) => {
    const store = await createStore({ wanted: withName(name), other: withName('Somebody') });
    expect(await findNames(store, { customerName })).toEqual(['wanted']);
  });

  test('%, _ and \\ are not wildcards', async () => {
    const store = await createStore({
      percent: withName('100% Ana'),
      underscore: withName('ana_lima'),
      backslash: withName('ana\\lima'),
      plain: withName('100 Analima'),
    });
    expect(await findNames(store, { customerName: '%' })).toEqual(['percent']);
    expect(await findNames(store, { customerName: 'ana_lima' })).toEqual(['underscore']);
    expect(await findNames(store, { customerName: 'ana\\lima' })).toEqual(['backslash']);
    expect(await findNames(store, { customerName: '\\' })).toEqual(['backslash']);
  });

  test('may be shorter than a trigram of the index', async () => {
    const store = await createStore({ bo: withName('Bo'), jo: withName("J. O'Neill"), li: withName('Li Bo') });
    expect(await findNames(store, { customerName: 'b' })).toEqual(['bo', 'li']);
    expect(await findNames(store, { customerName: 'BO' })).toEqual(['bo', 'li']);
    expect(await findNames(store, { customerName: '. o' })).toEqual(['jo']);
    expect(await findNames(store, { customerName: "'" })).toEqual(['jo']);
  });

  test('matches all orders if empty', async () => {
    const store = await createStore({ one: withName('Ana'), nameless: withName('') });
    expect(await findNames(store, { customerName: '' })).toEqual(['nameless', 'one']);
  });

  test('may be as long as a stored name', async () => {
    const long = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    const store = await createStore({ long: withName(long), other: withName('Ana') });
    expect(await findNames(store, { customerName: long })).toEqual(['long']);
    expect(await findNames(store, { customerName: long.slice(-3) })).toEqual(['long']);
  });
});

describe('customerPhoneEndsWith', () => {
  test('matches the last digits of the stored number', async () => {
    const store = await createStore({
      spaced: withPhone('+351 912-345-678'),
      short: withPhone('345678'),
      none: withPhone(''),
    });
    expect(await findNames(store, { customerPhoneEndsWith: '00351 912 345 678' })).toEqual([]);
    expect(await findNames(store, { customerPhoneEndsWith: '(+351) 912 345 678' })).toEqual(['spaced']);
    expect(await findNames(store, { customerPhoneEndsWith: '345 678' })).toEqual(['short', 'spaced']);
    expect(await findNames(store, { customerPhoneEndsWith: '8' })).toEqual(['short', 'spaced']);
    expect(await findNames(store, { customerPhoneEndsWith: '912' })).toEqual([]);
  });

  test('matches nothing without a digit', async () => {
    const store = await createStore({ one: withPhone('+351 912'), none: withPhone('unknown') });
    expect(await findNames(store, { customerPhoneEndsWith: 'unknown' })).toEqual([]);
    expect(await findNames(store, { customerPhoneEndsWith: '+' })).toEqual([]);
    expect(await findNames(store, { customerPhoneEndsWith: '٣' })).toEqual([]);
  });

  test('matches all orders if empty', async () => {
    expect(await findNames(await createStore({ one: {} }), { customerPhoneEndsWith: '' })).toEqual(['one']);
  });

  test('may be very long', async () => {
    const digits = Array.from({ length: 5000 }, (_, index) => (index * index) % 10).join('');
    const store = await createStore({ long: withPhone(digits), other: withPhone('1') });
    expect(await findNames(store, { customerPhoneEndsWith: digits })).toEqual(['long']);
  });
});

test('customerPhoneContains matches digits in a row anywhere in the stored number, and nothing without a digit', async () => {
  const store = await createStore({ spaced: withPhone('+351 912-345-678'), short: withPhone('345678') });
  expect(await findNames(store, { customerPhoneContains: '+351 91' })).toEqual(['spaced']);
  expect(await findNames(store, { customerPhoneContains: '912 34' })).toEqual(['spaced']);
  expect(await findNames(store, { customerPhoneContains: '34-56' })).toEqual(['short', 'spaced']);
  expect(await findNames(store, { customerPhoneContains: '219' })).toEqual([]);
  expect(await findNames(store, { customerPhoneContains: '+' })).toEqual([]);
});

describe('status', () => {
  const orders = {
    pending: { status: 'PENDING' },
    ready: { status: 'READY' },
    done: { status: 'FULFILLED' },
  } as const;

  test('that is unknown to the search matches nothing, rather than every order', () => {
    expect(checkSearch({ filter: { statuses: ['ON_HOLD' as OrderStatus] } }).statuses).toEqual([]);
  });

  test('is final or not with isCompleted', async () => {
    const store = await createStore(orders);
    expect(await findNames(store, { isCompleted: true })).toEqual(['done']);
    expect(await findNames(store, { isCompleted: false })).toEqual(['pending', 'ready']);
    expect(await findNames(store, { isCompleted: false, statuses: ['READY', 'FULFILLED'] })).toEqual(['ready']);
    expect(await findNames(store, { isCompleted: true, statuses: ['READY'] })).toEqual([]);
  });

  test('matches any of the listed statuses', async () => {
    const store = await createStore(orders);
    expect(await findNames(store, { statuses: ['READY'] })).toEqual(['ready']);
    expect(await findNames(store, { statuses: ['FULFILLED', 'PENDING', 'PENDING'] })).toEqual(['done', 'pending']);
    expect(await findNames(store, { statuses: ['REJECTED'] })).toEqual([]);
  });

  test('matches all orders if null or empty', async () => {
    const store = await createStore(orders);
    expect(await findNames(store, { statuses: null })).toHaveLength(3);
    expect(await findNames(store, { statuses: [] })).toHaveLength(3);
    expect(await findNames(store, { isCompleted: null })).toHaveLength(3);
  });
});

test('filters are combined with and', async () => {
  const wanted = { ...withName('Ana'), ...withPhone('123'), ...at('2026-03-02T00:00:00Z'), status: 'READY' } as const;
  const store = await createStore({
    wanted,
    name: { ...wanted, ...withName('Bo') },
    phone: { ...wanted, ...withPhone('124') },
    time: { ...wanted, ...at('2026-03-03T00:00:00Z') },
    status: { ...wanted, status: 'PENDING' },
  });
  const createdUntil = new Date('2026-03-02T12:00:00Z');
  expect(
    await findNames(store, { customerName: 'ana', customerPhoneEndsWith: '123', createdUntil, statuses: ['READY'] }),
  ).toEqual(['wanted']);
  expect(await findNames(store, { customerName: 'an', createdUntil, statuses: ['READY'] })).toEqual([
    'phone',
    'wanted',
  ]);
});

test('a text to find has up to 10,000 characters', async () => {
  const text = '1'.repeat(10_001);
  const errors = await findErrors({
    filter: { customerName: text, customerPhoneEndsWith: text, customerPhoneContains: text },
  });
  expect(errors.map(({ path, type }) => [path[1], type])).toEqual(
    ['customerName', 'customerPhoneEndsWith', 'customerPhoneContains'].map(name => [name, 'string_too_long']),
  );
});

describe('a string that PostgreSQL cannot store', () => {
  test.each(['\0', 'Ana\0', '\ud800'])('%j is rejected in a filter', async text => {
    const errors = await findErrors({ filter: { customerName: text, customerPhoneEndsWith: text } });
    expect(errors.map(error => error.path)).toEqual([
      ['filter', 'customerName'],
      ['filter', 'customerPhoneEndsWith'],
    ]);
  });
});
