import { seededRandom, timeOrderedId } from '../../src/demo/random.ts';
import { type Environment, importDocuments } from '../../support/servers.ts';
import { type MenuShape, menuOf, midMenu, smallMenu } from '../support/menu.ts';

const numbered = (kind: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${kind}-${String(at).padStart(3, '0')}`);

const merchantIds = numbered('merchant', 20);
export const storeIds = numbered('store', 100);

/** Stores by the kind of writes to their menus: stores that are written to are read by no other case. */
export const storesOf = {
  mid: { read: storeIds.slice(0, 8), written: storeIds.slice(8, 16) },
  small: { read: storeIds.slice(16, 32), written: storeIds.slice(32, 48) },
};
export type Size = keyof typeof storesOf;

/** Has half of all orders. */
export const busiestStore = 'store-050';

const shapes: Readonly<Record<Size, MenuShape>> = { mid: midMenu, small: smallMenu };

/** Builds the body of a POST for a store; another version has other prices at every twentieth item. */
export function menuBody(size: Size, storeId: string, version = 0): string {
  const menu = menuOf(shapes[size], { seed: storeId, mark: storeId });
  const items = menu.items.map((item, at) => (at % 20 === 0 ? { ...item, price: item.price + version } : item));
  return JSON.stringify({ ...menu, items });
}

const instant = (at: number, step: number) => new Date(Date.UTC(2026, 0, 1) + at * step).toISOString();
const hour = 3_600_000;

const merchants = merchantIds.map((id, at) => ({
  id,
  created_at: instant(at, hour),
  brand_name: `Casa ${at}`,
  business_type: { name: 'RESTAURANT' },
}));

const stores = storeIds.map((id, at) => ({
  id,
  name: { translations: { en: `Riverside ${at}`, pt: `Ribeira ${at}` } },
  created_at: instant(at, hour),
  external_id: `pos-${at}`,
  store_phone: '+351 210 000 000',
  contacts: { manager: 'Inês Matos' },
  address_line_1: `Rua Augusta ${at}`,
  timezone: 'Europe/Lisbon',
  city: 'Lisboa',
  postal_code: '1100-053',
  country: 'PT',
  phone_numbers: [{ id: '1', phone_number: '+351 210 000 001', create_date_time: instant(at, hour) }],
  merchant: { id: merchantIds[at % merchantIds.length] },
  store_type: { content: 'Dine-in', business_type: { name: 'RESTAURANT' } },
  restaurant_configuration: { cuisine_type: { name: 'PORTUGUESE' } },
}));

const others = storeIds.filter(id => id !== busiestStore);
const names = ['Ana Lima', 'Bruno Reis', 'Carla Dias', 'Дмитрий Орлов', 'Élodie Petit', 'Farid Aziz', 'Grace Obi'];
const dishes = ['Bacalhau à Brás', 'Caldo verde', 'Pastel de nata', 'Francesinha', 'Arroz de marisco', 'Galão'];
const ends = ['CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED'];
const stages = ['PENDING', 'ACCEPTED', 'READY'];

/** Builds an order by its number, oldest first, over 200 days; one in ten is cancelled, the newest are in progress. */
export function orderAt(at: number, total: number) {
  const random = seededRandom(`order ${at}`);
  const created = new Date(Date.UTC(2026, 1, 1) + Math.floor((at * 200 * 24 * hour) / total));
  const isNew = at >= total * 0.99;
  const status = isNew ? random.pick(stages) : random.chance(0.1) ? random.pick(ends) : 'FULFILLED';
  const items = Array.from({ length: random.between(1, 4) }, () => ({
    name: random.pick(dishes),
    quantity: random.between(1, 3),
    price: random.between(150, 2500),
    modifiers: [{ name: 'Piri-piri', quantity: 1, price: 50 }],
  }));
  return {
    id: timeOrderedId(created, random),
    created_at: created.toISOString(),
    store: { id: at % 2 === 0 ? busiestStore : (others[((at - 1) / 2) % others.length] ?? busiestStore) },
    customer: { name: random.pick(names), phone: `+351 9${random.between(10_000_000, 99_999_999)}` },
    status,
    price: random.between(500, 9000),
    tax: random.between(50, 900),
    items,
    ready_by: new Date(created.getTime() + hour).toISOString(),
    is_read: !isNew,
    in_pos: !isNew,
    ...(random.chance(0.1) && { customer_comments: 'No onions, please.' }),
    ...(status === 'FULFILLED' && { completed_at: new Date(created.getTime() + 2 * hour).toISOString() }),
  };
}

export function* ordersOf(total: number): Generator<object> {
  for (let at = 0; at < total; at++) yield orderAt(at, total);
}

/** Imports 20 merchants and their 100 stores. */
export async function importStores(env: Environment): Promise<void> {
  await importDocuments('merchants', merchants, env);
  await importDocuments('stores', stores, env);
}
