import { randomUUID } from 'node:crypto';
import type { startApp } from './app.ts';
import { smallMenu } from './data.ts';

type App = Awaited<ReturnType<typeof startApp>>;
export type Headers = Record<string, string>;

export const origin = 'https://shop.example';

export const allDay = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
  dayOfWeek,
  timePeriods: [{ startTime: '00:00', endTime: '24:00' }],
}));

/** A store whose menu can be ordered at any time, in euros. */
export async function openStore({ data }: Pick<App, 'data'>, id: string) {
  const store = await data.store({ id, currency: 'EUR' });
  const { menus, ...rest } = smallMenu('Soup');
  await data.menu(store, { ...rest, menus: (menus ?? []).map(menu => ({ ...menu, availability: allDay })) });
  return store;
}

/** The headers of a page with a publishable key that may place orders. */
export async function guestHeaders({ newKey }: Pick<App, 'newKey'>, ...storeIds: string[]): Promise<Headers> {
  const key = { name: 'shop', publishable: true, permissions: ['PLACE_GUEST_ORDERS'] as const, origins: [origin] };
  return { 'x-api-key': await newKey({ ...key, storeIds }), origin };
}

export const orderOf = (storeId: string, given: object = {}) => ({
  storeId,
  idempotencyKey: randomUUID(),
  customer: { name: 'Ana', phone: '+351 912 345 678' },
  lines: [{ itemExternalId: 'item', quantity: 2 }],
  ...given,
});

export const placing = `mutation PlaceOrder($input: PlaceOrderInput!) {
  placeOrder(input: $input) { guestToken guestOrder { number status total { decimal } } }
}`;
export const reading = 'query Follow($token: String!) { guestOrder(token: $token) { number status } }';
export const cancelling = `mutation Cancel($token: String!) {
  cancelGuestOrder(input: { token: $token }) { guestOrder { number status } }
}`;

/** What a page does with one key. */
export function createGuest({ graphql }: Pick<App, 'graphql'>, headers: Headers) {
  const send = async (query: string, variables: object) => (await graphql(query, variables, headers)).body;
  return {
    headers,
    send,
    place: (input: object) => send(placing, { input }),
    /** Places an order that must be accepted, and returns its token. */
    order: async (input: object): Promise<string> => (await send(placing, { input })).data.placeOrder.guestToken,
    read: async (token: string) => (await send(reading, { token })).data.guestOrder,
    cancel: (token: string) => send(cancelling, { token }),
  };
}
