import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { currentPosition, readEvents } from '../../src/events/log.ts';
import { saveStores } from '../../src/store/save.ts';
import { waitUntil } from '../http/processes.ts';
import { sharedApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';

const app = await sharedApp();
const { createStore, tryToPlace, place, postMenu } = createOrderCalls(app);
const { primary } = await createReadAccess(app.orm);
const start = await currentPosition(primary);

const mutation = `mutation ($storeId: ID!, $hours: [SpecialHoursInput!]!) {
  setSpecialHours(input: { storeId: $storeId, hours: $hours }) { store { specialHours { date name timePeriods { startTime endTime } } } }
}`;
const call = async (storeId: string, hours: readonly object[]) =>
  (await app.graphql(mutation, { storeId, hours })).body;
const set = async (storeId: string, hours: readonly object[]) =>
  (await call(storeId, hours)).data.setSpecialHours.store.specialHours;

async function menusAt(id: string, at: string) {
  const query = `query ($id: ID!, $at: DateTime!) {
    store(id: $id) { menus { externalId nextAvailableAt(from: $at) } at: menus(availableAt: $at) { externalId } }
  }`;
  const { store } = (await app.graphql(query, { id, at })).body.data;
  type Found = { readonly externalId: string; readonly nextAvailableAt: string };
  return [store.at.map((menu: Found) => menu.externalId), ...store.menus.map((menu: Found) => menu.nextAvailableAt)];
}

const period = (startTime: string, endTime: string) => ({ startTime, endTime });
const christmas = { date: '2036-12-24', name: 'Christmas Eve', timePeriods: [period('10:00', '14:00')] };
const closed = { date: '2036-12-25', name: null, timePeriods: [] };

describe('setSpecialHours', () => {
  test('reports every error, and stores nothing', async () => {
    const id = await createStore();
    const { errors } = await call(id, [
      { date: '2036-02-30', timePeriods: [period('9:00', '24:30')] },
      { date: '2036-12-24', name: 'x'.repeat(256) },
      { date: '2036-12-24', name: '\0', timePeriods: Array(25).fill(period('24:00', '24:00')) },
    ]);
    const found: { path: unknown[]; type: string; message: string }[] = errors[0].extensions.errors;
    expect(found.slice(0, 8).map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
      'input.hours.0.date: "2036-02-30" is not a date such as "2026-12-24"',
      'input.hours.0.timePeriods.0.startTime: "9:00" is not a time such as "09:30"',
      'input.hours.0.timePeriods.0.endTime: "24:30" is not a time such as "09:30"',
      'input.hours.1.name: the text has 256 characters; at most 255 are allowed',
      'input.hours.2.date: 2036-12-24 is already at index 1',
      'input.hours.2.name: Value error, the character U+0000 is not allowed',
      'input.hours.2.timePeriods: the list has 25 elements; at most 24 are allowed',
      'input.hours.2.timePeriods.0.startTime: "24:00" is not a time such as "09:30"',
    ]);
    const many = await call(
      id,
      Array.from({ length: 401 }, () => ({ date: 'x' })),
    );
    expect(many.errors[0].extensions.errors).toHaveLength(1);
    expect(await set(id, [])).toEqual([]);
  });

  test('replaces the hours of the week on its dates, for menus and orders, until it is called again', async () => {
    // The menus are available all day, and from 07:00 to 11:00.
    const id = await createStore();
    expect(await set(id, [closed, christmas])).toEqual([christmas, closed]);
    expect(await menusAt(id, '2036-12-24T09:00:00Z')).toEqual([
      [],
      '2036-12-24T10:00:00.000Z',
      '2036-12-24T10:00:00.000Z',
    ]);
    expect((await menusAt(id, '2036-12-24T13:59:59Z'))[0]).toEqual(['all-day', 'breakfast']);
    expect(await menusAt(id, '2036-12-24T14:00:00Z')).toEqual([
      [],
      '2036-12-26T00:00:00.000Z',
      '2036-12-26T07:00:00.000Z',
    ]);
    const cola = (readyBy: string) => tryToPlace(inputFor(id, [line('1 cola')], { readyBy }));
    expect((await cola('2036-12-25T12:00:00Z')).error?.extensions.errors).toEqual([
      {
        path: ['input', 'lines', 0, 'itemExternalId'],
        type: 'not_available',
        message:
          'item "cola" is in the menu "all-day", which is not available on Thursday at 12:00 by the clock of the store',
      },
    ]);
    await place(id, ['1 pancakes'], { readyBy: '2036-12-24T13:00:00Z' });

    await postMenu(id, [], 1);
    await saveStores(operatorFork(app.orm), [{ id, name: {}, createdAt: null, timezone: 'Europe/Lisbon' }]);
    expect(await set(id, [christmas, closed])).toEqual([christmas, closed]);
    expect((await menusAt(id, '2036-12-25T12:00:00Z'))[0]).toEqual([]);
    expect(await set(id, [])).toEqual([]);
    expect((await menusAt(id, '2036-12-25T12:00:00Z'))[0]).toEqual(['all-day']);
    const kinds = async () =>
      (await readEvents(primary, { after: start, limit: 100, storeId: id })).map(({ kind }) => kind);
    await waitUntil(async () => (await kinds()).filter(kind => kind === 'HOURS_CHANGED').length === 2);
    expect((await kinds()).filter(kind => /STORE|HOURS/.test(kind))).toEqual([
      'STORE_CREATED',
      'HOURS_CHANGED',
      'STORE_CHANGED',
      'HOURS_CHANGED',
    ]);
  });

  // The clock of Lisbon goes from 01:00 to 02:00 on 2036-03-30, and from 02:00 back to 01:00 on 2036-10-26.
  test.each([
    ['a window belongs to the date on which it begins', '2036-03-29', '20:00-03:00', '2036-03-30T01:59:59Z', true],
    ['a window ends by the clock in spring', '2036-03-29', '20:00-03:00', '2036-03-30T02:00:00Z', false],
    ['a window may begin in the hour that is skipped', '2036-03-30', '01:30-04:00', '2036-03-30T01:00:00Z', true],
    ['a window ends by the clock in autumn', '2036-10-25', '20:00-01:30', '2036-10-26T00:29:59Z', true],
    ['an hour that is repeated counts twice', '2036-10-25', '20:00-01:30', '2036-10-26T01:29:59Z', true],
    ['a window has ended after that', '2036-10-25', '20:00-01:30', '2036-10-26T01:30:00Z', false],
  ])('%s', async (_fact, date, hours, at, isOpen) => {
    const id = await createStore();
    const [from = '', to = ''] = hours.split('-');
    const nextDay = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
    await set(id, [{ date, timePeriods: [period(from, to)] }, { date: nextDay }]);
    expect((await menusAt(id, at))[0]).toEqual(isOpen ? ['all-day', 'breakfast'] : []);
  });
});
