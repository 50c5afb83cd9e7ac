import { toLocalTime } from '../menu/availability.ts';
import { fillBasket, type OrderLine, totalOf } from './basket.ts';
import { type Customer, pickGuest } from './customers.ts';
import { type BodyItem, type DemoStore, itemsOnSale } from './menu.ts';
import { type Random, seededRandom, timeOrderedId } from './random.ts';

type Outcome = 'FULFILLED' | 'CUSTOMER_CANCELLED' | 'STORE_CANCELLED' | 'REJECTED';
type Status = 'PENDING' | 'ACCEPTED' | 'READY' | Outcome;

/** An order as `carte import orders` takes it. */
export interface DemoOrder {
  readonly created_at: string;
  readonly id: string;
  readonly store: { readonly id: string };
  readonly customer: Customer;
  readonly status: Status;
  readonly price: number;
  readonly tax: number;
  readonly items: readonly OrderLine[];
  readonly ready_by: string;
  readonly is_read: boolean;
  readonly in_pos: boolean;
  readonly customer_comments?: string;
  readonly completed_at?: string;
}

/** What a store's orders are drawn from. */
interface Source {
  readonly store: DemoStore;
  readonly now: Date;
  readonly random: Random;
}

/** When an order was placed, and from when on its kitchen could work on it with what was on sale. */
interface Placing {
  readonly createdAt: Date;
  readonly servedFrom: Date;
  readonly onSale: readonly BodyItem[];
}

const orderCount = 400;
const minute = 60_000;
const day = 24 * 60 * minute;

/** Orders under way in every store: how many minutes ago they were placed, and in how many they are due. */
const underWay = [
  { status: 'PENDING', age: [0, 1], due: [15, 25] },
  { status: 'PENDING', age: [2, 4], due: [12, 22] },
  { status: 'ACCEPTED', age: [6, 9], due: [8, 15] },
  { status: 'ACCEPTED', age: [10, 16], due: [3, 9] },
  { status: 'READY', age: [28, 36], due: [-4, -1] },
  { status: 'READY', age: [37, 48], due: [-12, -5] },
] as const;

const outcomes: readonly Outcome[] = [
  ...Array<Outcome>(35).fill('FULFILLED'),
  'CUSTOMER_CANCELLED',
  'CUSTOMER_CANCELLED',
  'STORE_CANCELLED',
  'STORE_CANCELLED',
  'REJECTED',
  'REJECTED',
];

/** How probable it is that someone has seen an order, and that an order that was seen has reached the till. */
const handled: Readonly<Record<Status, { readonly read: number; readonly inPos: number }>> = {
  PENDING: { read: 0.4, inPos: 0 },
  ACCEPTED: { read: 1, inPos: 0.9 },
  READY: { read: 1, inPos: 1 },
  FULFILLED: { read: 1, inPos: 1 },
  CUSTOMER_CANCELLED: { read: 0.6, inPos: 0.5 },
  STORE_CANCELLED: { read: 1, inPos: 0.8 },
  REJECTED: { read: 1, inPos: 0 },
};

/** The last fourteen days of all stores, oldest first; a larger menu brings more orders. */
export function demoOrders(options: { readonly stores: readonly DemoStore[]; readonly now: Date }): DemoOrder[] {
  const { stores, now } = options;
  const itemCount = stores.reduce((sum, { menu }) => sum + menu.items.length, 0);
  return stores
    .flatMap(store => ordersOf(store, Math.round((orderCount * store.menu.items.length) / itemCount), now))
    .sort((one, other) => (`${one.created_at}${one.id}` < `${other.created_at}${other.id}` ? -1 : 1));
}

function ordersOf(store: DemoStore, count: number, now: Date): DemoOrder[] {
  const source = { store, now, random: seededRandom(store.id) };
  const past = Array.from({ length: Math.max(count - underWay.length, 0) }, () => pastOrder(source));
  const current = underWay.map(plan => currentOrder(source, plan));
  return [...past, ...current].filter(order => order !== undefined);
}

function pastOrder(source: Source): DemoOrder | undefined {
  const { store, random } = source;
  const placing = placeInOpeningHours(source);
  if (placing === undefined) return undefined;
  const status = random.pick(outcomes);
  const items = fillBasket(store.menu, placing.onSale, random);
  const readyBy = later(placing.servedFrom, cookingTime(items, placing.onSale) + random.between(4, 12));
  const order = makeOrder(source, { placing, status, items, readyBy });
  if (status !== 'FULFILLED') return order;
  return { ...order, completed_at: later(readyBy, random.between(-2, 14)).toISOString() };
}

/** Placed while the store is closed, it waits for the next opening and is not ready before. */
function currentOrder(source: Source, plan: (typeof underWay)[number]): DemoOrder | undefined {
  const { store, now, random } = source;
  const createdAt = new Date(now.getTime() - random.between(plan.age[0] * minute, plan.age[1] * minute));
  const placing = placeAt(store, createdAt);
  if (placing === undefined) return undefined;
  const items = fillBasket(store.menu, placing.onSale, random);
  if (placing.servedFrom > createdAt) {
    const status = plan.status === 'PENDING' ? 'PENDING' : 'ACCEPTED';
    const readyBy = later(placing.servedFrom, cookingTime(items, placing.onSale));
    return makeOrder(source, { placing, status, items, readyBy });
  }
  const readyBy = later(now, random.between(plan.due[0], plan.due[1]));
  return makeOrder(source, { placing, status: plan.status, items, readyBy });
}

/** Old enough to be over by now, and more often at the hours of lunch and dinner. */
function placeInOpeningHours({ store, now, random }: Source): Placing | undefined {
  for (let attempt = 0; attempt < 500; attempt++) {
    const createdAt = new Date(now.getTime() - random.between(75 * minute, 14 * day));
    const onSale = itemsOnSale(store, createdAt);
    const localHour = Math.floor(toLocalTime(createdAt, store.timezone).second / 3600);
    const busy = [12, 13, 14, 19, 20, 21].includes(localHour);
    if (onSale.length > 0 && random.chance(busy ? 1 : 0.4)) return { createdAt, servedFrom: createdAt, onSale };
  }
  return undefined;
}

/** Looks ahead for a week, so that a store that never opens gets no orders. */
function placeAt(store: DemoStore, createdAt: Date): Placing | undefined {
  for (let waited = 0; waited <= 7 * 24 * 60; waited += 15) {
    const servedFrom = later(createdAt, waited);
    const onSale = itemsOnSale(store, servedFrom);
    if (onSale.length > 0) return { createdAt, servedFrom, onSale };
  }
  return undefined;
}

interface Draft {
  readonly placing: Placing;
  readonly status: Status;
  readonly items: readonly OrderLine[];
  readonly readyBy: Date;
}

function makeOrder({ store, random }: Source, { placing, status, items, readyBy }: Draft): DemoOrder {
  const { customer, comment } = pickGuest(store.timezone, random);
  const isRead = random.chance(handled[status].read);
  return {
    created_at: placing.createdAt.toISOString(),
    id: timeOrderedId(placing.createdAt, random),
    store: { id: store.id },
    customer,
    status,
    ...totalOf(items),
    items,
    ready_by: readyBy.toISOString(),
    is_read: isRead,
    in_pos: isRead && random.chance(handled[status].inPos),
    ...(comment === undefined ? {} : { customer_comments: comment }),
  };
}

/** The minutes that the slowest of the items needs. */
function cookingTime(lines: readonly OrderLine[], items: readonly BodyItem[]): number {
  const ordered = new Set(lines.map(line => line.external_id));
  return Math.max(...items.filter(item => ordered.has(item.external_id)).map(item => item.prep_time ?? 10));
}

function later(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * minute);
}
