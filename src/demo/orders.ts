import customers from '../../demo/customers.json' with { type: 'json' };
import type { MenuItemInput } from '../generated/graph.ts';
import { toLocalTime } from '../menu/availability.ts';
import { type DemoStore, drawOrderLines, findAvailableItems, type OrderLine, totalOf } from './order-lines.ts';
import { type Random, seededRandom, timeOrderedId } from './random.ts';

type Outcome = 'FULFILLED' | 'CUSTOMER_CANCELLED' | 'STORE_CANCELLED' | 'REJECTED';
type Status = 'PENDING' | 'ACCEPTED' | 'READY' | Outcome;

/** A document of `carte import orders`. */
export type DemoOrder = ReturnType<typeof createOrder> & { readonly completed_at?: string };

interface Source {
  readonly store: DemoStore;
  readonly now: Date;
  readonly random: Random;
}

interface Placement {
  readonly createdAt: Date;
  /** When the store is open and can start to prepare the order. */
  readonly preparedFrom: Date;
  readonly availableItems: readonly MenuItemInput[];
}

const orderCount = 400;
const minute = 60_000;
const day = 24 * 60 * minute;

/** Orders in progress in every store; ranges of minutes since they were placed and until they are due. */
const inProgress = [
  { status: 'PENDING', age: [0, 1], due: [15, 25] },
  { status: 'PENDING', age: [2, 4], due: [12, 22] },
  { status: 'ACCEPTED', age: [6, 9], due: [8, 15] },
  { status: 'ACCEPTED', age: [10, 16], due: [3, 9] },
  { status: 'READY', age: [28, 36], due: [-4, -1] },
  { status: 'READY', age: [37, 48], due: [-12, -5] },
] as const;

const outcomes: readonly Outcome[] = [
  ...Array<Outcome>(35).fill('FULFILLED'),
  ...(['CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED'] as const).flatMap(status => [status, status]),
];

/** Probabilities that an order was read, and that a read order was entered in the POS. */
const probabilities: Readonly<Record<Status, { readonly read: number; readonly inPos: number }>> = {
  PENDING: { read: 0.4, inPos: 0 },
  ACCEPTED: { read: 1, inPos: 0.9 },
  READY: { read: 1, inPos: 1 },
  FULFILLED: { read: 1, inPos: 1 },
  CUSTOMER_CANCELLED: { read: 0.6, inPos: 0.5 },
  STORE_CANCELLED: { read: 1, inPos: 0.8 },
  REJECTED: { read: 1, inPos: 0 },
};

/** Generates orders of the last fourteen days, oldest first; their number grows with the size of a store's menu. */
export function demoOrders(stores: readonly DemoStore[], now: Date): DemoOrder[] {
  const itemCount = stores.reduce((sum, { menu }) => sum + menu.items.length, 0);
  return stores
    .flatMap(store => drawOrders(store, Math.round((orderCount * store.menu.items.length) / itemCount), now))
    .sort((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? -1 : 1));
}

function drawOrders(store: DemoStore, count: number, now: Date): DemoOrder[] {
  const source = { store, now, random: seededRandom(store.id) };
  const past = Array.from({ length: Math.max(count - inProgress.length, 0) }, () => drawPastOrder(source));
  const current = inProgress.map(plan => drawCurrentOrder(source, plan));
  return [...past, ...current].filter(order => order !== undefined);
}

function drawPastOrder(source: Source): DemoOrder | undefined {
  const { store, random } = source;
  const placement = placeInOpeningHours(source);
  if (placement === undefined) return undefined;
  const status = random.pick(outcomes);
  const items = drawOrderLines(store.menu, placement.availableItems, random);
  const readyBy = addMinutes(placement.preparedFrom, prepTime(items, placement.availableItems) + random.between(4, 12));
  const order = createOrder(source, { placement, status, items, readyBy });
  if (status !== 'FULFILLED') return order;
  return { ...order, completed_at: addMinutes(readyBy, random.between(-2, 14)).toISOString() };
}

/** An order placed while the store is closed is due after the next opening. */
function drawCurrentOrder(source: Source, plan: (typeof inProgress)[number]): DemoOrder | undefined {
  const { store, now, random } = source;
  const createdAt = new Date(now.getTime() - random.between(plan.age[0] * minute, plan.age[1] * minute));
  const placement = placeAt(store, createdAt);
  if (placement === undefined) return undefined;
  const items = drawOrderLines(store.menu, placement.availableItems, random);
  if (placement.preparedFrom > createdAt) {
    const status = plan.status === 'PENDING' ? 'PENDING' : 'ACCEPTED';
    const readyBy = addMinutes(placement.preparedFrom, prepTime(items, placement.availableItems));
    return createOrder(source, { placement, status, items, readyBy });
  }
  const readyBy = addMinutes(now, random.between(plan.due[0], plan.due[1]));
  return createOrder(source, { placement, status: plan.status, items, readyBy });
}

/** Draws a time that is long enough ago for the order to be finished, more often at lunch and dinner. */
function placeInOpeningHours({ store, now, random }: Source): Placement | undefined {
  for (let attempt = 0; attempt < 500; attempt++) {
    const createdAt = new Date(now.getTime() - random.between(75 * minute, 14 * day));
    const availableItems = findAvailableItems(store, createdAt);
    const localHour = Math.floor(toLocalTime(createdAt, store.timezone).second / 3600);
    const busy = [12, 13, 14, 19, 20, 21].includes(localHour);
    if (availableItems.length > 0 && random.chance(busy ? 1 : 0.4))
      return { createdAt, preparedFrom: createdAt, availableItems };
  }
  return undefined;
}

/** Finds the next opening within a week, so that a store that never opens gets no orders. */
function placeAt(store: DemoStore, createdAt: Date): Placement | undefined {
  for (let waited = 0; waited <= 7 * 24 * 60; waited += 15) {
    const preparedFrom = addMinutes(createdAt, waited);
    const availableItems = findAvailableItems(store, preparedFrom);
    if (availableItems.length > 0) return { createdAt, preparedFrom, availableItems };
  }
  return undefined;
}

interface Draft {
  readonly placement: Placement;
  readonly status: Status;
  readonly items: readonly OrderLine[];
  readonly readyBy: Date;
}

function createOrder({ store, random }: Source, { placement, status, items, readyBy }: Draft) {
  const { customer, comment } = drawCustomer(store, random);
  const isRead = random.chance(probabilities[status].read);
  return {
    created_at: placement.createdAt.toISOString(),
    id: timeOrderedId(placement.createdAt, random),
    store: { id: store.id },
    customer,
    status,
    ...totalOf(items),
    items,
    ready_by: readyBy.toISOString(),
    is_read: isRead,
    in_pos: isRead && random.chance(probabilities[status].inPos),
    ...(comment === undefined ? {} : { customer_comments: comment }),
  };
}

/** Draws a customer, mostly from the store's own timezone, and sometimes a comment. */
function drawCustomer({ timezone }: DemoStore, random: Random) {
  const local = customers.filter(region => region.timezone !== undefined && region.timezone === timezone);
  const region = random.pick(local.length > 0 && random.chance(0.8) ? local : customers);
  const name = random.pick(region.names);
  const comment = random.chance(0.2) ? random.pick(region.comments) : undefined;
  return { customer: { name, phone: phoneOf(region, name) }, comment };
}

/** Fills the digits of a pattern, in a range that is not assigned to subscribers. */
function phoneOf({ phone, names }: (typeof customers)[number], name: string): string {
  const length = phone.split('#').length - 1;
  // A factor coprime to 10 gives every name of a region its own number, whatever the length.
  const digits = String(((names.indexOf(name) + 1) * 271_829) % 10 ** length).padStart(length, '0');
  return [...digits].reduce((filled, digit) => filled.replace('#', digit), phone);
}

/** Minutes to prepare the slowest item. */
function prepTime(lines: readonly OrderLine[], items: readonly MenuItemInput[]): number {
  const ordered = new Set(lines.map(line => line.external_id));
  return Math.max(...items.filter(item => ordered.has(item.externalId)).map(item => item.preparationMinutes ?? 10));
}

function addMinutes(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * minute);
}
