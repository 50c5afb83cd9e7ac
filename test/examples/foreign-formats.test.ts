import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { writeSet } from '../support/operations.ts';
import { startReceiver, verify } from '../support/receiver.ts';

const folder = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const states = `@values(map: [
  { of: PENDING, as: "NEW" } { of: ACCEPTED, as: "COOKING" } { of: READY, as: "BUMPED" } { of: FULFILLED, as: "DONE" }`;
const gone = '{ of: REJECTED, as: "GONE" } { of: STORE_CANCELLED, as: "GONE" } { of: CUSTOMER_CANCELLED, as: "GONE" }';
const kitchen = writeSet('kitchen', {
  'kitchen.graphql': `
    input Bump { state: String! @to(path: "to") ${states}]) was: String @to(path: "from") ${states}]) }
    mutation bump($order_id: ID!, $to: OrderStatus!, $from: OrderStatus)
    @route(path: "/kitchen/orders/{order_id}", body: "Bump") {
      changeOrderStatus(input: { orderId: $order_id, to: $to, from: $from }) {
        order @body { state: status ${states} ${gone}]) lines { dish: itemExternalId } }
      }
    }
    mutation wish($store_id: ID!, $lines: [OrderLineInput!]!)
    @route(path: "/kitchen/stores/{store_id}", body: "Wishes") {
      placeOrder(input: { storeId: $store_id, idempotencyKey: "wish", customer: { name: "Ana", phone: "" }, lines: $lines }) {
        order @body { state: status ${states} ${gone}]) }
      }
    }
    query listKitchen(
      $store_id: ID!
      $state: [OrderStatus!] = [PENDING, ACCEPTED] ${states}])
      $done: Boolean @values(map: [{ of: true, as: 1 }, { of: false, as: 0 }])
    ) @route(path: "/kitchen/stores/{store_id}/orders") @tool {
      store(id: $store_id) {
        orders(filter: { statuses: $state, isCompleted: $done }, first: 9) @body { orders: nodes { state: status ${states} ${gone}]) } }
      }
    }
    mutation move($order_id: ID!, $state: OrderStatus! ${states}]), $was: OrderStatus ${states}]))
    @route(path: "/kitchen/orders/{order_id}/{state}") {
      changeOrderStatus(input: { orderId: $order_id, to: $state, from: $was }) { order @body { state: status ${states} ${gone}]) } }
    }
    input Wishes { dishes: [Dish!]! @to(path: "lines") }
    input Dish { id: String! @to(path: "itemExternalId") }`,
});
const app = await startApp({
  operations: [folder('delivery-platform'), folder('flat-pos'), kitchen],
  mcp: { enabled: true, resultBytes: 4096 },
  webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] },
});
const receiver = await startReceiver();
const put = (path: string, body: unknown, headers = {}) =>
  app.send('PUT', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
const flatOf = async (storeId: string) => (await app.get(`/v1/stores/${storeId}/menu_configuration/flat`)).body;
const withoutId = ({ id: _, ...entity }: Record<string, unknown>) => entity;

const documents = Object.fromEntries(
  await Promise.all(
    ['delivery-platform', 'flat-pos'].map(async set => [set, (await app.get(`/openapi/${set}.json`)).body] as const),
  ),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
for (const [set, document] of Object.entries(documents)) ajv.addSchema(document, set);
/** What a body has that its schema does not allow. */
function deviations(set: string, pointer: string, body: unknown) {
  const path = pointer.replaceAll('{', '%7B').replaceAll('}', '%7D');
  ajv.validate({ $ref: `${set}#${path}/content/application~1json/schema` }, body);
  return ajv.errors ?? [];
}

async function createWebhook(storeId: string, operation: string) {
  const operator = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };
  const { body } = await app.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
    { input: { url: receiver.urlOf(`/${operation}`), storeId, operation } },
    operator,
  );
  return body.data.createWebhook.secret as string;
}
const messages = async (operation: string, count: number) => {
  const found = () => receiver.at(`/${operation}`);
  await expect.poll(() => found().length, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(count);
  return found();
};

test.each(Object.entries(documents))('the linter finds nothing in the document of %s', async (_name, document) => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
});

interface Item {
  readonly id: string;
  readonly name: Record<string, string>;
  readonly description?: Record<string, string>;
  readonly price_info: { readonly price: number };
  readonly modifier_ids?: readonly string[];
  readonly type?: string;
  readonly max_quantity?: number;
}

const menu = {
  name: 'Evening',
  site_ids: ['site-7'],
  menu: {
    items: [
      {
        ...{ id: 'caldo-verde', operational_name: 'CALDO', plu: '12', tax_rate: '13', contains_alcohol: false },
        name: { en: 'Kale soup', pt: 'Caldo verde' },
        description: { en: 'With "chouriço" and ☕' },
        price_info: { price: 450 },
        modifier_ids: ['extras'],
        type: 'ITEM',
      },
      { id: 'broa', name: { pt: 'Broa' }, price_info: { price: 0 }, type: 'CHOICE', max_quantity: 3 },
      { id: 'water', name: { en: 'Water' }, price_info: { price: 120 } },
    ] as Item[],
    categories: [
      { id: 'soups', name: { en: 'Soups' }, description: { en: 'Hot' }, item_ids: ['caldo-verde', 'water'] },
    ],
    mealtimes: [
      {
        id: 'dinner',
        name: { en: 'Dinner' },
        category_ids: ['soups'],
        schedule: [{ day_of_week: 6, time_periods: [{ start: '18:00', end: '23:30' }] }],
      },
    ],
    modifiers: [
      {
        id: 'extras',
        name: { en: 'Extras' },
        min_selection: 0,
        max_selection: 2,
        repeatable: false,
        item_ids: ['broa'],
      },
    ],
  },
};
const upload = '/paths/~1platform~1stores~1{store_id}~1menu';

describe('a delivery platform', () => {
  test('its menu is read back through /v1 and in its own shape, value by value', async () => {
    const store = await app.data.store();
    const path = `/platform/stores/${store.id}/menu`;
    expect(deviations('delivery-platform', `${upload}/put/requestBody`, menu)).toEqual([]);
    const uploaded = await put(path, menu);
    expect(uploaded.status, uploaded.text).toBe(200);
    const flat = await flatOf(store.id);
    const texts = (translations: object) => ({ translations });
    const items = menu.menu.items.map(({ id, name, description, price_info, modifier_ids = [], type = 'ITEM' }) => ({
      external_id: id,
      name: texts(name),
      ...(description && { description: texts(description) }),
      price: price_info.price,
      tax: 0,
      sell_separately: type === 'ITEM',
      in_stock: true,
      modifier_external_ids: modifier_ids,
    }));
    expect(flat.items.map(withoutId)).toMatchObject(items);
    expect(flat.modifier_items.map(withoutId)).toMatchObject(
      menu.menu.items.map(({ id, name, price_info, max_quantity = 1 }) => ({
        external_id: id,
        menu_item_external_id: id,
        name: texts(name),
        price_change: price_info.price,
        tax_change: 0,
        min_quantity: 0,
        max_quantity,
        default_quantity: 0,
      })),
    );
    expect(flat.categories.map(withoutId)).toEqual([
      {
        external_id: 'soups',
        name: texts({ en: 'Soups' }),
        description: texts({ en: 'Hot' }),
        item_external_ids: ['caldo-verde', 'water'],
      },
    ]);
    expect(flat.menus.map(withoutId)).toEqual([
      {
        external_id: 'dinner',
        name: texts({ en: 'Dinner' }),
        category_external_ids: ['soups'],
        availability: [{ day_of_week: 'SUN', time_periods: [{ start_time: '18:00', end_time: '23:30' }] }],
      },
    ]);
    expect(flat.modifier_groups.map(withoutId)).toMatchObject([
      {
        external_id: 'extras',
        type: 'MULTIPLE',
        name: texts({ en: 'Extras' }),
        group_min: 0,
        group_max: 2,
        charge_after: 0,
        modifier_item_external_ids: ['broa'],
      },
    ]);

    const read = await app.get(path);
    expect(read.text).toBe(uploaded.text);
    expect(deviations('delivery-platform', `${upload}/get/responses/200`, read.body)).toEqual([]);
    const [first] = menu.menu.items;
    const { id, name, description, price_info, modifier_ids, type } = first as Item;
    expect(read.body.menu.items[0]).toEqual({ id, name, description, price_info, modifier_ids, type });
    expect(read.body.menu.modifiers).toEqual(menu.menu.modifiers.map(({ repeatable: _, ...group }) => group));
    expect(read.body.menu.categories).toEqual(menu.menu.categories);
    // Written with the ETag of a read; the old one is refused then.
    const etag = { 'if-match': String(read.headers.get('etag')) };
    expect((await put(path, { menu: { items: [{ id: 'x', name: {}, price_info: { price: 1 } }] } }, etag)).status).toBe(
      200,
    );
    expect((await put(path, menu, etag)).status).toBe(412);
  });

  test('errors are at the paths of its body, those of the menu as well as those of its shape', async () => {
    const store = await app.data.store();
    const path = `/platform/stores/${store.id}/menu`;
    const locsOf = async (body: unknown) => {
      const response = await put(path, body);
      expect(response.status, response.text).toBe(422);
      return response.body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => `${loc.join('.')} ${type}`);
    };
    const [item] = menu.menu.items;
    expect(
      await locsOf({
        menu: {
          items: [
            { ...item, price_info: { price: 1.5, cost: 1 } },
            { id: 5, type: 'THING', price_info: {} },
          ],
          mealtimes: [{ ...menu.menu.mealtimes[0], schedule: [{ day_of_week: 7 }] }],
        },
        site: [],
      }),
    ).toEqual([
      'body.site extra_forbidden',
      'body.menu.items.0.price_info.price int_from_float',
      'body.menu.items.0.price_info.cost extra_forbidden',
      'body.menu.items.1.id string_type',
      'body.menu.items.1.name missing',
      'body.menu.items.1.price_info.price missing',
      'body.menu.items.1.type enum',
      'body.menu.mealtimes.0.schedule.0.day_of_week enum',
      'body.menu.mealtimes.0.schedule.0.time_periods missing',
      'body.menu.mealtimes.0.category_ids.0 reference_not_found',
      'body.menu.items.0.modifier_ids.0 reference_not_found',
    ]);
    expect(
      await locsOf({
        menu: {
          ...menu.menu,
          categories: [{ id: 'soups', name: {}, item_ids: ['caldo-verde', 'nothing'] }],
        },
      }),
    ).toEqual(['body.menu.categories.0.item_ids.1 reference_not_found']);
    expect(await locsOf('menu')).toEqual(['body model_attributes_type']);
  });

  test('its notification of a new order is in its shape, signed and as documented', async () => {
    const store = await app.data.store({ currency: 'EUR' });
    const secret = await createWebhook(store.id, 'notifyPlatformOrder');
    const [order] = await app.data.orders(store, 1, { customerComments: 'No "salt"' });
    const [message] = await messages('notifyPlatformOrder', 1);
    expect(message && verify(message, secret)).toMatchObject({
      event: 'order.new',
      body: {
        order: {
          id: order?.id,
          location_id: store.id,
          status: 'placed',
          order_notes: 'No "salt"',
          subtotal: { fractional: order?.price, currency_code: 'EUR' },
        },
      },
    });
    expect(deviations('delivery-platform', '/webhooks/notifyPlatformOrder/post/requestBody', message?.message)).toEqual(
      [],
    );
  });
});

const records = {
  PLU: [
    {
      PLU_NO: '1001',
      DESC_EN: 'Bica',
      DESC_PT: 'Bica curta',
      PRICE: '1.10',
      TAX: '0.13',
      SALE: 'Y',
      STOCK: 'N',
      PREP: 2,
    },
    { PLU_NO: '1002', DESC_EN: 'Nata', PRICE: '0.9' },
    { PLU_NO: '1003', DESC_EN: 'Half', PRICE: '12', TAX: '-0.05', SALE: 'N' },
  ],
  DEPT: [{ DEPT_NO: '10', DESC_EN: 'Counter', PLUS: [{ PLU_NO: '1002', POS: 1 }, { PLU_NO: '1001' }] }],
};
const file = '/paths/~1flat~1stores~1{store_id}~1records';

describe('an old POS', () => {
  test('its flat records are read back through /v1 and /flat, value by value', async () => {
    const store = await app.data.store();
    const path = `/flat/stores/${store.id}/records`;
    const valid = { ...records, PLU: records.PLU.slice(0, 2) };
    expect(deviations('flat-pos', `${file}/put/requestBody`, valid)).toEqual([]);
    const written = await put(path, valid);
    expect(written.status, written.text).toBe(200);
    const { items, categories } = await flatOf(store.id);
    expect(items.map(withoutId)).toMatchObject([
      {
        ...{ external_id: '1001', price: 110, tax: 13, sell_separately: true, in_stock: false, prep_time: 2 },
        name: { translations: { en: 'Bica', pt: 'Bica curta' } },
      },
      {
        ...{ external_id: '1002', price: 90, tax: 0, sell_separately: true, in_stock: true },
        name: { translations: { en: 'Nata' } },
      },
    ]);
    expect(categories.map(withoutId)).toEqual([
      { external_id: '10', name: { translations: { en: 'Counter' } }, item_external_ids: ['1002', '1001'] },
    ]);
    const read = await app.get(path);
    expect(read.body).toEqual({
      PLU: [
        { PLU_NO: '1001', DESC: 'Bica', PRICE: '1.10', TAX: '0.13', SALE: 'Y', STOCK: 'N', PREP: 2 },
        { PLU_NO: '1002', DESC: 'Nata', PRICE: '0.90', TAX: '0.00', SALE: 'Y', STOCK: 'Y' },
      ],
      DEPT: [{ DEPT_NO: '10', DESC: 'Counter', PLUS: [{ PLU_NO: '1002' }, { PLU_NO: '1001' }] }],
    });
    expect(written.text).toBe(read.text);
    expect(deviations('flat-pos', `${file}/get/responses/200`, read.body)).toEqual([]);
  });

  test('errors are at the paths of its records', async () => {
    const store = await app.data.store();
    const [first] = records.PLU;
    const { body } = await put(`/flat/stores/${store.id}/records`, {
      PLU: [
        { ...first, PRICE: '1.105', TAX: 'much', SALE: 'yes' },
        { ...first, PRICE: 1.1, PLUS: [] },
      ],
      DEPT: [{ DEPT_NO: '10', DESC_EN: 'Counter', PLUS: [{ PLU_NO: 1 }, { POS: 'a' }] }],
    });
    expect(body.detail.map(({ loc, msg }: { loc: unknown[]; msg: string }) => `${loc.join('.')}: ${msg}`)).toEqual([
      'body.PLU.0.PRICE: Decimal input should have no more than 2 decimal places',
      'body.PLU.0.TAX: Input should be a valid decimal',
      "body.PLU.0.SALE: Input should be 'Y' or 'N'",
      'body.PLU.1.PRICE: Input should be a valid string',
      expect.stringContaining('body.PLU.1.PLUS: Extra inputs are not permitted'),
      'body.DEPT.0.PLUS.0.PLU_NO: Input should be a valid string',
      'body.DEPT.0.PLUS.1.PLU_NO: Field required',
      'body.DEPT.0.PLUS.1.POS: Input should be a valid integer',
      'body.PLU.1.PLU_NO: external id "1001" is already that of the item at index 0',
    ]);
    const unknown = await put(`/flat/stores/${store.id}/records`, {
      PLU: [first],
      DEPT: [{ DEPT_NO: '10', DESC_EN: 'Counter', PLUS: [{ PLU_NO: '1001' }, { PLU_NO: '9' }] }],
    });
    expect(unknown.body.detail).toMatchObject([
      { loc: ['body', 'DEPT', 0, 'PLUS', 1, 'PLU_NO'], type: 'reference_not_found' },
    ]);
  });

  test('its tickets are orders, once for an Idempotency-Key, and their states come back by webhook in order', async () => {
    const store = await app.data.store();
    const secret = await createWebhook(store.id, 'notifyFlatTicket');
    const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
    const time_periods = [{ start_time: '00:00', end_time: '24:00' }];
    const name = { translations: { en: 'Nata' } };
    const posted = await app.post(`/v1/stores/${store.id}/menu_configuration/`, {
      items: [{ external_id: '1002', name, price: 90, tax: 0, sell_separately: true }],
      categories: [{ external_id: '10', name, item_external_ids: ['1002'] }],
      menus: [
        {
          external_id: 'all',
          category_external_ids: ['10'],
          availability: days.map(day_of_week => ({ day_of_week, time_periods })),
        },
      ],
    });
    expect(posted.status, posted.text).toBe(200);
    const add = (body: unknown, key = 'till-1') =>
      app.post(`/flat/stores/${store.id}/tickets`, body, { 'idempotency-key': key });
    const ticket = {
      NAME: 'Rui',
      KIND: 1,
      TIP: '0.5',
      LINES: [{ PLU_NO: '1002', QTY: 2, MEMO: 'warm' }, { PLU_NO: '1002' }],
    };
    const wrong = await add({ ...ticket, LINES: [{ PLU_NO: '1002', QTY: 0 }, { PLU_NO: '77' }] }, 'other');
    expect(wrong.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(
      expect.arrayContaining(['body.LINES.0.QTY', 'body.LINES.1.PLU_NO']),
    );
    const added = await add(ticket);
    expect([added.status, added.body]).toMatchObject([
      200,
      {
        ...{ NAME: 'Rui', STATE: 0, PRICE: '2.70', TIP: '0.50', TOTAL: '3.20', KIND: 1, PRINTED: 'N' },
        LINES: [
          { PLU_NO: '1002', QTY: 2, MEMO: 'warm', PRICE: '0.90' },
          { PLU_NO: '1002', QTY: 1, PRICE: '0.90' },
        ],
      },
    ]);
    expect((await add(ticket)).body.TICKET).toBe(added.body.TICKET);
    const order = await app.get(`/v1/orders/${added.body.TICKET}`);
    expect(order.body).toMatchObject({ price: 270, customer: { name: 'Rui', phone: '' }, status: 'PENDING' });
    expect((await put(`/flat/tickets/${added.body.TICKET}`, { STATE: 1 })).body.STATE).toBe(1);
    const path = `/flat/tickets/${added.body.TICKET}`;
    // In the numbers of the caller, several of whose are one: no word of the graph.
    const refused = await put(path, { STATE: 3 });
    const msg = 'an order that is 1 cannot become 3, only 2 or 9';
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [{ loc: ['body', 'STATE'], msg, type: 'invalid_transition' }],
    ]);
    const [placed, changed] = await messages('notifyFlatTicket', 2);
    for (const message of [placed, changed]) {
      expect(message && verify(message, secret)).toBeDefined();
      expect(deviations('flat-pos', '/webhooks/notifyFlatTicket/post/requestBody', message?.message)).toEqual([]);
    }
    expect(changed?.message.TICKET).toEqual((await app.get(`/flat/tickets/${added.body.TICKET}`)).body);
    expect(changed?.message.TICKET).toMatchObject({ STATE: 1 });
  });
});

describe('a kitchen with states of its own', () => {
  test('reads them in errors, and its own words as they are', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    const [order] = await app.data.orders(store, 1);
    const path = `/kitchen/orders/${order?.id}`;
    expect((await app.post(path, { state: 'COOKING' })).body.state).toBe('COOKING');
    const conflict = await app.post(path, { state: 'COOKING', was: 'NEW' });
    expect([conflict.status, conflict.body.detail]).toEqual([409, 'The order is COOKING, not NEW.']);
    const early = await app.post(path, { state: 'DONE' });
    const msg = 'an order that is COOKING cannot become DONE, only BUMPED or GONE';
    expect([early.status, early.body.detail]).toMatchObject([422, [{ loc: ['body', 'state'], msg }]]);
    const unknown = await app.post(`/kitchen/stores/${store.id}`, { dishes: [{ id: 'READY' }] });
    expect(unknown.body.detail).toMatchObject([{ msg: 'no item has the external id "READY"' }]);
  });

  test('reads them in query strings and paths', async () => {
    const store = await app.data.store();
    for (const status of ['PENDING', 'ACCEPTED', 'READY', 'FULFILLED', 'REJECTED'] as const)
      await app.data.orders(store, 1, { status });
    const list = `/kitchen/stores/${store.id}/orders`;
    const statesOf = async (query: string) => {
      const { status, body } = await app.get(`${list}${query}`);
      expect(status).toBe(200);
      return body.orders.map(({ state }: { state: string }) => state).sort();
    };
    expect(await statesOf('')).toEqual(['COOKING', 'NEW']);
    expect(await statesOf('?state=COOKING')).toEqual(['COOKING']);
    expect(await statesOf('?state=COOKING,DONE')).toEqual(['COOKING', 'DONE']);
    expect(await statesOf('?state[]=BUMPED&state[]=NEW')).toEqual(['BUMPED', 'NEW']);
    expect(await statesOf('?state=COOKING,DONE&done=1')).toEqual(['DONE']);
    const known = "Input should be 'NEW', 'COOKING', 'BUMPED' or 'DONE'";
    for (const [query, loc, msg] of [
      ['state=ACCEPTED', ['query', 'state'], known],
      ['state=NEW,EATEN', ['query', 'state', 1], known],
      ['done=true', ['query', 'done'], "Input should be '1' or '0'"],
    ]) {
      const { status, body } = await app.get(`${list}?${query}`);
      expect([status, body.detail]).toEqual([422, [{ loc, msg, type: 'enum' }]]);
    }

    const [order] = await app.data.orders(store, 1);
    const path = `/kitchen/orders/${order?.id}`;
    expect((await app.post(`${path}/COOKING`, { was: 'NEW' })).body).toEqual({ state: 'COOKING' });
    expect((await app.post(`${path}/BUMPED`, {})).body).toEqual({ state: 'BUMPED' });
    const back = await app.post(`${path}/COOKING`, {});
    const msg = 'an order that is BUMPED cannot become COOKING, only DONE or GONE';
    expect([back.status, back.body.detail]).toMatchObject([422, [{ loc: ['path', 'state'], msg }]]);
    const foreign = await app.post(`${path}/READY`, { was: 'PENDING' });
    expect([foreign.status, foreign.body.detail]).toEqual([
      422,
      [
        { loc: ['path', 'state'], msg: known, type: 'enum' },
        { loc: ['body', 'was'], msg: known, type: 'enum' },
      ],
    ]);
  });

  test('is called with them by agents', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 2, { status: 'READY' });
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { 'x-api-key': app.key } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', app.url), { requestInit }));
    const { tools } = await client.listTools();
    const properties = tools.find(({ name }) => name === 'listKitchen')?.inputSchema.properties;
    expect(properties).toMatchObject({ done: { type: 'integer', enum: [1, 0] } });
    const call = (given: object) =>
      client.callTool({ name: 'listKitchen', arguments: { store_id: store.id, ...given } });
    const orders = [{ state: 'BUMPED' }, { state: 'BUMPED' }];
    expect(await call({ state: ['BUMPED'], done: 0 })).toMatchObject({ structuredContent: { orders } });
    const { isError, content } = await call({ state: ['READY'], done: false });
    const text = "state.0: Input should be 'NEW', 'COOKING', 'BUMPED' or 'DONE'\ndone: Input should be 1 or 0";
    expect([isError, content]).toEqual([true, [{ type: 'text', text }]]);
  });

  test('has them in its documents', async () => {
    const { paths, components } = (await app.get('/openapi/kitchen.json')).body;
    const words = { type: 'string', enum: ['NEW', 'COOKING', 'BUMPED', 'DONE'] };
    const listed = paths['/kitchen/stores/{store_id}/orders'].get.parameters;
    expect(listed.slice(1, 3)).toMatchObject([
      {
        name: 'state',
        style: 'form',
        explode: false,
        schema: { type: 'array', items: words, default: ['NEW', 'COOKING'] },
      },
      { name: 'done', schema: { type: 'integer', enum: [1, 0] } },
    ]);
    expect(paths['/kitchen/orders/{order_id}/{state}'].post.parameters[1]).toMatchObject({ in: 'path', schema: words });
    expect(components.schemas.MoveRequest.properties.was).toMatchObject(words);
    expect(components.schemas.OrderStatus).toBeUndefined();
    const { item } = (await app.get('/openapi/kitchen.postman.json')).body;
    expect(JSON.stringify(item)).toContain('{"key":"state","value":"NEW,COOKING"');
  });
});
