import { describe, expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, namesOf } from '../support/orders.ts';

const { search, storeWith, left, faultsOf } = createOrderGraph(await createDatabase());

const at = (text: string) => ({ createdAt: new Date(text) });
const named = (customerName: string) => ({ customerName });
const calling = (customerPhone: string) => ({ customerPhone });

test('orders come newest first, and of one time by id, last first', async () => {
  const store = await storeWith({
    a: at('2026-03-01T10:00:00Z'),
    c: at('2026-03-02T09:00:00Z'),
    b: at('2026-03-01T10:00:00Z'),
    d: at('2026-03-01T10:00:00.001Z'),
  });
  const { ids } = await search(store);
  expect(namesOf(ids)).toEqual(['c', 'd', 'b', 'a']);
});

describe('startTime and endTime', () => {
  const orders = {
    before: at('2026-03-01T09:59:59.999Z'),
    first: at('2026-03-01T10:00:00Z'),
    midnight: at('2026-03-03T00:00:00Z'),
    last: at('2026-03-04T12:00:00Z'),
    after: at('2026-03-04T12:00:00.001Z'),
  };
  const startTime = new Date('2026-03-01T10:00:00Z');
  const endTime = new Date('2026-03-04T12:00:00Z');

  test('both belong to the range', async () => {
    expect(await left(await storeWith(orders), { startTime, endTime })).toEqual(['first', 'last', 'midnight']);
  });

  test('each counts alone', async () => {
    const store = await storeWith(orders);
    expect(await left(store, { startTime })).toEqual(['after', 'first', 'last', 'midnight']);
    expect(await left(store, { endTime })).toEqual(['before', 'first', 'last', 'midnight']);
  });

  test('one instant is a range', async () => {
    const midnight = new Date('2026-03-03T00:00:00Z');
    expect(await left(await storeWith(orders), { startTime: midnight, endTime: midnight })).toEqual(['midnight']);
  });

  test('may lie as far away as a date can', async () => {
    const store = await storeWith(orders);
    const everything = { startTime: new Date('0000-01-01T00:00:00Z'), endTime: new Date('9999-12-31T23:59:59.999Z') };
    expect(await left(store, everything)).toHaveLength(5);
    expect(await left(store, { startTime: everything.endTime })).toEqual([]);
    expect(await left(store, { endTime: everything.startTime })).toEqual([]);
  });

  test('a start after the end is refused', async () => {
    const errors = await faultsOf({ filter: { startTime: endTime, endTime: startTime } });
    expect(errors).toMatchObject([{ path: ['filter', 'startTime'], type: 'value_error' }]);
  });
});

describe('customerName', () => {
  test('is any part of the name', async () => {
    const store = await storeWith({ ana: named('Ana Lima'), liam: named('Liam'), joana: named('Joana Sá') });
    expect(await left(store, { customerName: 'ana' })).toEqual(['ana', 'joana']);
    expect(await left(store, { customerName: 'a Lim' })).toEqual(['ana']);
    expect(await left(store, { customerName: 'nobody' })).toEqual([]);
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
    const store = await storeWith({ wanted: named(name), other: named('Somebody') });
    expect(await left(store, { customerName })).toEqual(['wanted']);
  });

  test('%, _ and \\ stand for themselves', async () => {
    const store = await storeWith({
      percent: named('100% Ana'),
      underscore: named('ana_lima'),
      backslash: named('ana\\lima'),
      plain: named('100 Analima'),
    });
    expect(await left(store, { customerName: '%' })).toEqual(['percent']);
    expect(await left(store, { customerName: 'ana_lima' })).toEqual(['underscore']);
    expect(await left(store, { customerName: 'ana\\lima' })).toEqual(['backslash']);
    expect(await left(store, { customerName: '\\' })).toEqual(['backslash']);
  });

  test('may be shorter than what the index can find', async () => {
    const store = await storeWith({ bo: named('Bo'), jo: named("J. O'Neill"), li: named('Li Bo') });
    expect(await left(store, { customerName: 'b' })).toEqual(['bo', 'li']);
    expect(await left(store, { customerName: 'BO' })).toEqual(['bo', 'li']);
    expect(await left(store, { customerName: '. o' })).toEqual(['jo']);
    expect(await left(store, { customerName: "'" })).toEqual(['jo']);
  });

  test('sets no condition when it is empty', async () => {
    const store = await storeWith({ one: named('Ana'), nameless: named('') });
    expect(await left(store, { customerName: '' })).toEqual(['nameless', 'one']);
  });

  test('may be as long as a name that was stored', async () => {
    const long = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    const store = await storeWith({ long: named(long), other: named('Ana') });
    expect(await left(store, { customerName: long })).toEqual(['long']);
    expect(await left(store, { customerName: long.slice(-3) })).toEqual(['long']);
  });
});

describe('phoneNumber', () => {
  test('is compared on digits alone, with the end of the stored number', async () => {
    const store = await storeWith({ spaced: calling('+351 912-345-678'), short: calling('345678'), none: calling('') });
    expect(await left(store, { phoneNumber: '00351 912 345 678' })).toEqual([]);
    expect(await left(store, { phoneNumber: '(+351) 912 345 678' })).toEqual(['spaced']);
    expect(await left(store, { phoneNumber: '345 678' })).toEqual(['short', 'spaced']);
    expect(await left(store, { phoneNumber: '8' })).toEqual(['short', 'spaced']);
    expect(await left(store, { phoneNumber: '912' })).toEqual([]);
  });

  test('matches nothing without a digit', async () => {
    const store = await storeWith({ one: calling('+351 912'), none: calling('unknown') });
    expect(await left(store, { phoneNumber: 'unknown' })).toEqual([]);
    expect(await left(store, { phoneNumber: '+' })).toEqual([]);
    expect(await left(store, { phoneNumber: '٣' })).toEqual([]);
  });

  test('sets no condition when it is empty', async () => {
    expect(await left(await storeWith({ one: {} }), { phoneNumber: '' })).toEqual(['one']);
  });

  test('may be longer than any real number', async () => {
    const digits = Array.from({ length: 5000 }, (_, index) => (index * index) % 10).join('');
    const store = await storeWith({ long: calling(digits), other: calling('1') });
    expect(await left(store, { phoneNumber: digits })).toEqual(['long']);
  });
});

describe('status', () => {
  const orders = {
    pending: { status: 'PENDING' },
    ready: { status: 'READY' },
    done: { status: 'FULFILLED' },
  } as const;

  test('is one of those listed', async () => {
    const store = await storeWith(orders);
    expect(await left(store, { status: ['READY'] })).toEqual(['ready']);
    expect(await left(store, { status: ['FULFILLED', 'PENDING', 'PENDING'] })).toEqual(['done', 'pending']);
    expect(await left(store, { status: ['REJECTED'] })).toEqual([]);
  });

  test('sets no condition when it is null or lists none', async () => {
    const store = await storeWith(orders);
    expect(await left(store, { status: null })).toHaveLength(3);
    expect(await left(store, { status: [] })).toHaveLength(3);
  });
});

test('filters hold together', async () => {
  const wanted = { ...named('Ana'), ...calling('123'), ...at('2026-03-02T00:00:00Z'), status: 'READY' } as const;
  const store = await storeWith({
    wanted,
    name: { ...wanted, ...named('Bo') },
    phone: { ...wanted, ...calling('124') },
    time: { ...wanted, ...at('2026-03-03T00:00:00Z') },
    status: { ...wanted, status: 'PENDING' },
  });
  const endTime = new Date('2026-03-02T12:00:00Z');
  expect(await left(store, { customerName: 'ana', phoneNumber: '123', endTime, status: ['READY'] })).toEqual([
    'wanted',
  ]);
  expect(await left(store, { customerName: 'an', endTime, status: ['READY'] })).toEqual(['phone', 'wanted']);
});

describe('a text that PostgreSQL cannot hold', () => {
  test.each(['\0', 'Ana\0', '\ud800'])('%j is refused in a filter', async text => {
    const errors = await faultsOf({ filter: { customerName: text, phoneNumber: text } });
    expect(errors.map(error => error.path)).toEqual([
      ['filter', 'customerName'],
      ['filter', 'phoneNumber'],
    ]);
  });
});
