import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { routes } from '../support/interface.ts';

const app = await sharedApp();

/** The count of an order list. */
async function count(store: { readonly id: string }, query: string): Promise<number> {
  const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.count;
}

describe('When a menu is available', async () => {
  const store = await app.data.store({ timezone: 'America/New_York' });
  const isAvailable = async (day_of_week: string, start_time: string, end_time: string, at: string) => {
    const availability = [{ day_of_week, time_periods: [{ start_time, end_time }] }];
    const body = { items: [], menus: [{ external_id: 'm', availability }] };
    await app.post(`/v1/stores/${store.id}/menu_configuration/`, body);
    const query = 'query ($id: ID!, $at: DateTime!) { store(id: $id) { menus(availableAt: $at) { externalId } } }';
    return (await app.graphql(query, { id: store.id, at })).body.data.store.menus.length === 1;
  };

  // 2026-03-02 is a Monday; New York is five hours behind UTC then.
  test.each([
    ['MON', '08:00', '11:00', '2026-03-02T13:00:00Z', true],
    ['MON', '08:00', '11:00', '2026-03-02T16:00:00Z', false],
    ['monday', '08:00', '11:00:30', '2026-03-02T16:00:29Z', true],
    ['Monday', '20:00', '24:00', '2026-03-03T04:59:59Z', true],
    ['MON', '22:00', '02:00', '2026-03-03T06:59:59Z', true],
    ['MON', '22:00', '02:00', '2026-03-03T07:00:00Z', false],
    ['MON', '00:00', '00:00', '2026-03-03T04:59:59Z', true],
    ['TUE', '00:00', '24:00', '2026-03-02T13:00:00Z', false],
    ['1', '00:00', '24:00', '2026-03-02T13:00:00Z', false],
    ['MON', '8:00', '11:00', '2026-03-02T13:00:00Z', false],
  ])('%s %s to %s, at %s: %j', async (day, start, end, at, expected) => {
    expect(await isAvailable(day, start, end, at)).toBe(expected);
  });
});

describe('Date-times in requests', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 1, { createdAt: new Date('2026-03-01T16:30:00.500Z') });

  test.each([
    '2026-03-01',
    '2026-03-01T16:30',
    '2026-03-01t16:30:00',
    '2026-03-01%2016:30:00.5',
    '2026-03-01T16:30:00.5009999Z',
    '2026-03-01T18:30+02:00',
    '2026-03-01T18:30:00%2B0200',
    '2026-03-01T18:30:00+02',
    '2026-03-01T11:30:00.500-05:00',
  ])('%s is accepted', async text => {
    expect(await count(store, `start_time=${text}`)).toBe(1);
  });

  test('start_time is compared to the millisecond', async () => {
    expect(await count(store, 'start_time=2026-03-01T18:30:00.501+02:00')).toBe(0);
  });

  test.each(['2026-02-30', '2026-03-01T25:00', '20260301', '1772382600', 'noon', '2026-03-01%2B02:00'])(
    '%s is 422',
    async text => {
      const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?end_time=${text}`);
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([{ loc: ['query', 'end_time'], type: 'datetime_parsing' }]);
    },
  );
});

describe('Date-times in responses', () => {
  test('are in UTC with milliseconds', async () => {
    const store = await app.data.store({ createdAt: new Date('2026-01-02T03:04:05Z') });
    expect((await app.get(`/v1/stores/${store.id}`)).body.created_at).toBe('2026-01-02T03:04:05.000Z');
  });
});

describe('A currency', () => {
  const currencyOf = async (id: string) =>
    (await app.graphql('query ($id: ID!) { store(id: $id) { currency } }', { id })).body.data.store.currency;

  test.each([
    [{ currency: 'USD', country: 'JP' }, 'USD'],
    [{ country: 'JP' }, 'JPY'],
    [{ country: 'pt ' }, 'EUR'],
    [{ country: 'United States' }, 'USD'],
    [{ country: 'méxico' }, 'MXN'],
    [{ country: '日本' }, 'JPY'],
    [{ country: 'Atlantis' }, null],
    [{ country: '' }, null],
    [{}, null],
  ])('of a store with %j is %j in the graph', async (given, expected) => {
    expect(await currencyOf((await app.data.store(given)).id)).toBe(expected);
  });

  test('leaves the responses of /v1 as they are, byte for byte', async () => {
    const given = { country: 'JP', merchant: (await app.data.merchant()).id };
    const [plain, priced] = [await app.data.store(given), await app.data.store({ ...given, currency: 'USD' })];
    const textOf = async ({ id }: { id: string }) => {
      const { status, text } = await app.get(`/v1/stores/${id}`);
      expect(status).toBe(200);
      return text.replaceAll(id, '');
    };
    expect(await textOf(priced)).toBe(await textOf(plain));
    expect((await app.get('/v1/stores/')).text).not.toContain('USD');
  });
});

describe('customer_name', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 1, { customerName: 'ÉRIC Straße 100%' });

  test.each([
    ['éric', 1],
    ['ric stra', 1],
    ['STRASSE', 1],
    ['eric', 0],
    ['100%', 1],
    ['1_0', 0],
    [' éric', 0],
  ])('%s finds %i', async (name, expected) => {
    expect(await count(store, `customer_name=${encodeURIComponent(name)}`)).toBe(expected);
  });
});

describe('phone_number', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 1, { customerPhone: '+351 912-345-678' });

  test.each([
    ['(351) 912 345 678', 1],
    ['345678', 1],
    ['912345', 0],
    ['00351912345678', 0],
    ['no digits', 0],
  ])('%s finds %i', async (phone, expected) => {
    expect(await count(store, `phone_number=${encodeURIComponent(phone)}`)).toBe(expected);
  });
});

describe('status', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 2, { status: 'READY' });
  await app.data.orders(store, 1, { status: 'FULFILLED' });

  test.each([
    ['READY', 2],
    ['READY,%20FULFILLED', 3],
    ['READY,READY', 2],
    ['', 3],
  ])('%s finds %i', async (status, expected) => {
    expect(await count(store, `status=${status}`)).toBe(expected);
  });

  test.each([
    ['ready', ['query', 'status']],
    ['READY,', ['query', 'status', 1]],
    ['LATE,READY', ['query', 'status', 0]],
  ])('%s is 422', async (status, loc) => {
    const response = await app.get(`/v1/stores/${store.id}/orders/?status=${status}`);
    expect([response.status, response.body.detail]).toMatchObject([422, [{ loc, type: 'enum' }]]);
  });
});

describe('Filters together', () => {
  test('must all match', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 1, { customerName: 'Ana', status: 'READY' });
    await app.data.orders(store, 1, { customerName: 'Ana', status: 'PENDING' });
    expect(await count(store, 'customer_name=ana')).toBe(2);
    expect(await count(store, 'customer_name=ana&status=READY&phone_number=678')).toBe(1);
    expect(await count(store, 'customer_name=ana&status=READY&end_time=2020-01-01')).toBe(0);
  });
});

describe('result_code, result_message', () => {
  test('are constant in every 200, and absent from errors', async () => {
    const store = await app.data.store();
    const [order] = await app.data.orders(store, 1);
    const success = { result_code: '000000', result_message: 'Success' };
    expect((await app.get(`/v1/stores/${store.id}/orders/?page_index=9`)).body).toMatchObject(success);
    expect((await app.get(`/v1/orders/${order?.id}`)).body).toMatchObject(success);
    expect(Object.keys((await app.get('/v1/orders/none')).body)).toEqual(['detail']);
  });
});

describe('Order items', () => {
  test('are returned unchanged, with nulls and nesting', async () => {
    const store = await app.data.store();
    const items = [{ z: null, a: [{ b: [] }, 'x'], __typename: 1.5 }, {}];
    const [order] = await app.data.orders(store, 1, { items });
    expect(JSON.stringify((await app.get(`/v1/orders/${order?.id}`)).body.items)).toBe(JSON.stringify(items));
  });
});

describe('Names and contacts of a store', () => {
  test('any map is returned unchanged', async () => {
    const maps = { name: { de: 'Krone', parts: [1, null] }, contacts: { z: { y: null }, a: '' } };
    const store = await app.data.store(maps);
    expect((await app.get(`/v1/stores/${store.id}`)).body).toMatchObject(maps);
  });
});

describe('Versioning', () => {
  test('every path starts with /v1, and no route is deprecated', async () => {
    expect(routes.filter(({ path }) => !path.startsWith('/v1/'))).toEqual([]);
    const { headers } = await app.get('/v1/stores/');
    expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null]);
  });
});
