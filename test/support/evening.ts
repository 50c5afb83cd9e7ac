import { randomUUID } from 'node:crypto';
import type { ValidationError } from '@carte/base/errors';
import { inMinorUnits } from './amounts.ts';
import type { startApp } from './app.ts';

const name = (en: string) => ({ translations: { en, pt: `${en} (pt)` } });
const wholeWeek = (start_time: string, end_time: string) =>
  ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(day_of_week => ({
    day_of_week,
    time_periods: [{ start_time, end_time }],
  }));
const group = (external_id: string, limits: object, modifier_item_external_ids: readonly string[]) => {
  return { external_id, type: 'CHOICE', name: name(external_id), ...limits, modifier_item_external_ids };
};
const modifier = (external_id: string, price_change: number, tax_change: number, more: object = {}) => {
  const quantities = { min_quantity: 0, max_quantity: 2, default_quantity: 0 };
  return { external_id, name: name(external_id), price_change, tax_change, ...quantities, ...more };
};

/** A body of `POST …/menu_configuration/`; the named items and modifier items are sold out, and all items cost more. */
function eveningMenu(soldOut: readonly string[], surcharge: number) {
  const item = (external_id: string, price: number, tax: number, more: object = {}) => {
    return { external_id, name: name(external_id), price: price + surcharge, tax, sell_separately: true, ...more };
  };
  const withStock = <T extends { readonly external_id: string }>(entity: T) => ({
    ...entity,
    in_stock: !soldOut.includes(entity.external_id),
  });
  return {
    menus: [
      { external_id: 'all-day', availability: wholeWeek('00:00', '00:00'), category_external_ids: ['food'] },
      { external_id: 'breakfast', availability: wholeWeek('07:00', '11:00'), category_external_ids: ['morning'] },
    ],
    categories: [
      { external_id: 'food', name: name('food'), item_external_ids: ['burger', 'cola', 'deal', 'beer', 'soup'] },
      { external_id: 'morning', name: name('morning'), item_external_ids: ['pancakes'] },
    ],
    items: [
      item('burger', 1000, 100, { modifier_external_ids: ['size', 'toppings'], prep_time: 15 }),
      item('cola', 250, 58, { modifier_external_ids: ['ice'], prep_time: 1 }),
      item('deal', 1500, 200, { modifier_external_ids: ['drink'] }),
      item('beer', 400, 92, { sell_separately: false }),
      item('soup', 550, 55, { modifier_external_ids: ['bread'] }),
      item('pancakes', 700, 70),
      item('off-menu', 1, 0),
    ].map(withStock),
    modifier_groups: [
      group('size', { group_min: 1, group_max: 1, charge_after: 0 }, ['regular', 'large']),
      group('toppings', { group_min: 0, group_max: 4, charge_after: 2 }, ['cheese', 'bacon', 'onion']),
      group('ice', { group_min: 0, group_max: 1, charge_after: 0 }, ['no-ice']),
      group('drink', { group_min: 1, group_max: 1, charge_after: 1 }, ['with-cola', 'with-beer']),
      group('bread', { group_min: 0, group_max: 3, charge_after: 0 }, ['roll']),
    ],
    modifier_items: [
      modifier('regular', 0, 0),
      modifier('large', 250, 25),
      modifier('cheese', 120, 12),
      modifier('bacon', 150, 15),
      modifier('onion', 80, 8),
      modifier('no-ice', -20, -4),
      modifier('with-cola', 0, 0, { menu_item_external_id: 'cola' }),
      modifier('with-beer', 200, 46, { menu_item_external_id: 'beer' }),
      modifier('roll', 90, 9, { min_quantity: 1, default_quantity: 1 }),
    ].map(withStock),
  };
}

/** `'2 burger: size/large, toppings/cheese*2'` as a line of `placeOrder`. */
export function line(text: string, more: object = {}) {
  const [, quantity, itemExternalId, choices = ''] = /^(\d+) ([\w-]+)(?:: (.*))?$/.exec(text) ?? [];
  const modifiers = choices.split(', ').flatMap(choice => {
    const [, modifierGroupExternalId, modifierItemExternalId, count = '1'] =
      /^([\w-]+)\/([\w-]+)(?:\*(\d+))?$/.exec(choice) ?? [];
    return modifierGroupExternalId
      ? [{ modifierGroupExternalId, modifierItemExternalId, quantity: Number(count) }]
      : [];
  });
  return { itemExternalId, quantity: Number(quantity), modifiers, ...more };
}

type App = Awaited<ReturnType<typeof startApp>>;

/** An answer to a mutation of orders. */
export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  readonly order?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly orders?: any;
  readonly error?: {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly errors: readonly ValidationError[] };
  };
}

const fields = `id revision createdAt status nextStatuses price { amount } tax { amount } items readyBy isRead inPos customerComments completedAt
  customer { name phone } store { id ordersRevision orders { totalCount } }`;

export const mutations = {
  placeOrder: `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { ${fields} } } }`,
  changeOrderStatus: `mutation ($id: ID!, $to: OrderStatus!, $from: OrderStatus, $expectedRevision: SafeInt, $idempotent: Boolean! = false) {
    changeOrderStatus(input: { orderId: $id, to: $to, from: $from, expectedRevision: $expectedRevision, idempotent: $idempotent }) { order { ${fields} } }
  }`,
  markOrders: `mutation ($ids: [ID!]!, $isRead: Boolean, $inPos: Boolean) {
    markOrders(input: { orderIds: $ids, isRead: $isRead, inPos: $inPos }) { orders { ${fields} } }
  }`,
};

export const inputFor = (storeId: string, lines: readonly object[], more: object = {}) => ({
  storeId,
  idempotencyKey: randomUUID(),
  customer: { name: 'Ana Lima', phone: '+351 912 345 678' },
  lines,
  ...more,
});

/** Calls the service as a restaurant does in an evening. */
export function createOrderCalls(app: App) {
  const run = async (name: keyof typeof mutations, variables: object, key = app.key): Promise<Outcome> => {
    const { body } = await app.graphql(mutations[name], variables, { 'x-api-key': key });
    return { ...inMinorUnits(body.data?.[name]), error: body.errors?.[0] };
  };
  const calls = {
    async postMenu(storeId: string, soldOut: readonly string[] = [], surcharge = 0): Promise<void> {
      const body = eveningMenu(soldOut, surcharge);
      const { status } = await app.post(`/v1/stores/${storeId}/menu_configuration/`, body);
      if (status !== 200) throw new Error(`the menu was refused with ${status}`);
    },

    /** Creates a store with the menu, and returns its id. */
    async createStore(soldOut: readonly string[] = []): Promise<string> {
      const { id } = await app.data.store({ timezone: 'Europe/Lisbon' });
      await calls.postMenu(id, soldOut);
      return id;
    },

    tryToPlace: (input: object) => run('placeOrder', { input }),

    /** Places an order that must not be refused. */
    async place(storeId: string, lines: readonly string[], more: object = {}) {
      const { order, error } = await calls.tryToPlace(
        inputFor(
          storeId,
          lines.map(text => line(text)),
          more,
        ),
      );
      if (error) throw new Error(error.message);
      return order;
    },

    change: (id: string, to: string, from?: string) => run('changeOrderStatus', { id, to, from }),
    changeAt: (id: string, variables: object) => run('changeOrderStatus', { id, ...variables }),
    mark: (ids: readonly string[], marks: object, key?: string) => run('markOrders', { ids, ...marks }, key),

    /** Polls the order list as a POS does: returns the body after a change, and undefined for 304. */
    poller(storeId: string, query = '') {
      let etag = '';
      return async () => {
        const path = `/v1/stores/${storeId}/orders/${query}`;
        const { status, headers, body } = await app.get(path, { 'if-none-match': etag });
        etag = headers.get('etag') ?? '';
        return status === 304 ? undefined : body;
      };
    },
  };
  return calls;
}
