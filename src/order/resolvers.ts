import { Forbidden } from '@carte/base/errors';
import { propertyResolver } from '@carte/operations/execution/resolve';
import { selectsOnly } from '@carte/operations/execution/selected-fields';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { QuoteOrderInput, Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../lists/paging.ts';
import { knownTo } from '../menu/configuration.ts';
import type { menuLoaders } from '../menu/loaders.ts';
import { nodeIdAs } from '../node-id.ts';
import { type AccessScope, hasOwnOrdersOnly, placesForGuests, requireKey } from '../scope.ts';
import { currencyOf, type Money } from '../store/currency.ts';
import type { Store } from '../store/entities.ts';
import { checkSearch, completedLast } from './arguments.ts';
import { type Order, storeSummaryFields } from './entities.ts';
import { eraseGuest } from './guest-data.ts';
import type { orderByTokenLoader } from './guest-tokens.ts';
import { checkGuestInput, type GuestOrders, placeGuestOrder } from './guests.ts';
import { checkQuoteInput } from './input.ts';
import { type AmountOwner, readLines } from './lines.ts';
import { checkMarks, markOrders, requireOrders } from './mark.ts';
import { placeOrder } from './place.ts';
import { type Quote, quoteOrder } from './quote.ts';
import { confirmedReadyByOf, statusReasonOf, totalOf, withOwner } from './service.ts';
import { transitions } from './statuses.ts';
import { changeOrderStatus } from './transitions.ts';

const selectsSummaryOnly = selectsOnly([...storeSummaryFields, 'nodeId', 'importedName', 'localizedNames']);

const mayReadKeyNames = (scope: AccessScope) =>
  !hasOwnOrdersOnly(scope) && (scope.permissions.includes('ORDERS') || scope.permissions.includes('ADMIN'));

/** An amount of an order, in the currency of its store, which was read with the order. */
function moneyOf({ store, loadedStore, storeSummary }: AmountOwner, amount: number): Money {
  const read = loadedStore ?? storeSummary;
  if (!read) throw new Error(`An order was read without its store ${store}`);
  return { amount, currency: currencyOf(read) };
}

const moneyIfGiven = (owner: AmountOwner, amount: number | null | undefined) =>
  amount == null ? null : moneyOf(owner, amount);

/** Resolves an amount of a part of an order. */
const moneyOfPart =
  <Field extends string>(field: Field) =>
  (part: Readonly<Record<Field, number>> & { readonly owner: AmountOwner }) =>
    moneyOf(part.owner, part[field]);

const ownerOf = (store: Store): AmountOwner => ({ store: store.id, loadedStore: store });

/** Runs a write, after which the request reads everything afresh, also the next of several mutations. */
async function write<T>({ loaders }: { readonly loaders: { clear(): void } }, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    loaders.clear();
  }
}

interface TokenContext {
  readonly transport: string;
  readonly loaders: { readonly guestOrders: ReturnType<typeof orderByTokenLoader> };
}

async function findGuestOrder({ loaders, transport }: TokenContext, token: string): Promise<Order | null> {
  if (transport === 'REST') throw new Forbidden('Tokens of guests are for /graphql: routes may have them in URLs.');
  return loaders.guestOrders.load(token);
}

interface QuoteContext {
  readonly scope: AccessScope | undefined;
  readonly loaders: { readonly menus: ReturnType<typeof menuLoaders> };
  readonly guestOrders: GuestOrders | undefined;
}

/** What orders of guests need if the key places them, and undefined if it does not. */
function guestOrdersOf({ scope, guestOrders }: Pick<QuoteContext, 'scope' | 'guestOrders'>): GuestOrders | undefined {
  if (!placesForGuests(scope)) return undefined;
  if (!guestOrders) throw new Error('A guest orders where there are no limits for guests');
  return guestOrders;
}

/** Quotes an order as the key would place it. */
async function quote(context: QuoteContext, store: Store, input: QuoteOrderInput): Promise<Quote> {
  const { scope, loaders } = context;
  const now = new Date();
  const guestOrders = guestOrdersOf(context);
  const isForGuest = guestOrders !== undefined;
  const configuration = knownTo(scope, await loaders.menus.byStore.load(store));
  const guestErrors = guestOrders ? checkGuestInput(input, guestOrders.limits, now) : [];
  const inputErrors = [...checkQuoteInput(input), ...guestErrors];
  return quoteOrder(input, { store, configuration, now, inputErrors, isForGuest });
}

/** Fields that guests read of their orders, too. */
const ofAnyOrder = {
  price: (order: Order) => moneyOf(order, order.price),
  tax: (order: Order) => moneyOf(order, order.tax),
  total: (order: Order) => moneyOf(order, Number(totalOf(order))),
  table: ({ service }: Order) => service?.table ?? null,
  tip: (order: Order) => moneyIfGiven(order, order.service?.tip),
  confirmedReadyBy: confirmedReadyByOf,
  statusReason: statusReasonOf,
};

export const orderResolvers = {
  Query: {
    order: (_root, { id }, { loaders }) => loaders.orders.byId.load(id),
    quoteOrder: async (_root, { input }, context) => {
      const store = await context.loaders.stores.byId.load(input.storeId);
      return store && { store, ...(await quote(context, store, input)) };
    },
    guestOrder: (_root, { token }, context) => findGuestOrder(context, token),
  },
  Mutation: {
    placeOrder: (_root, { input }, context) =>
      write(context, async () => {
        const { stores, menus } = context.loaders;
        const store = await stores.byId.load(input.storeId);
        if (!store) return null;
        const loadOrderable = (tx: EntityManager) => menus.byStore.loadIn(tx, store);
        const em = context.forkEntityManager();
        const placement = { input, scope: requireKey(context.scope), loadOrderable };
        const guestOrders = guestOrdersOf(context);
        if (guestOrders) {
          const ofGuest = { ...placement, guestOrders, quote: () => quote(context, store, input) };
          const placed = await placeGuestOrder(em, store, ofGuest);
          return placed && { ...placed, guestOrder: placed.order };
        }
        const order = await placeOrder(em, store, placement);
        return order && { order, guestToken: null, guestOrder: null };
      }),
    cancelGuestOrder: (_root, { input: { token } }, context) =>
      write(context, async () => {
        const found = await findGuestOrder(context, token);
        const change = { to: 'CUSTOMER_CANCELLED', from: 'PENDING', idempotent: true } as const;
        const options = { ...change, scope: requireKey(context.scope) };
        const guestOrder = found && (await changeOrderStatus(context.forkEntityManager(), found, options));
        return guestOrder && { guestOrder };
      }),
    changeOrderStatus: (_root, { input: { orderId, ...change } }, context) =>
      write(context, async () => {
        const found = await context.loaders.orders.byId.load(orderId);
        const options = { ...change, scope: requireKey(context.scope) };
        const order = found && (await changeOrderStatus(context.forkEntityManager(), found, options));
        return order && { order };
      }),
    markOrders: async (_root, { input: { storeId, orderIds, ...marks } }, context) => {
      checkMarks(orderIds, marks);
      if (storeId != null && !(await context.loaders.stores.byId.load(storeId))) return null;
      const load = () => Promise.all(orderIds.map(id => context.loaders.orders.byId.load(id)));
      await write(context, async () =>
        markOrders(context.forkEntityManager(), requireOrders(orderIds, await load(), storeId), marks),
      );
      return { orders: (await load()).filter(order => order !== null) };
    },
    eraseGuest: (_root, { input }, context) =>
      write(context, async () => {
        const { orders, storeIds } = await eraseGuest(context.forkEntityManager(), input);
        return { orderCount: orders, storeCount: storeIds.length };
      }),
  },
  Store: {
    ordersRevision: (store, _args, { loaders }) => loaders.stores.ordersRevisionOf(store),
    orders: (store, args, { loaders }) => loaders.orderPages(store, checkSearch(args)),
    completedOrders: async (store, { first }, { loaders }) =>
      (await loaders.orderPages(store, completedLast(first)).page()).nodes,
  },
  OrderConnection: {
    ...connectionResolvers<Order>('order'),
    pageIndex: ({ search }) => search.pageIndex,
    pageSize: ({ search }) => search.size,
  },
  Order: {
    nodeId: nodeIdAs('Order'),
    store(order, _args, { loaders }, info) {
      if (order.loadedStore) return order.loadedStore;
      // Has only some fields of a store, but no other is selected.
      if (order.storeSummary && selectsSummaryOnly(info)) return order.storeSummary as Store;
      return loaders.stores.byId.load(order.store).then(store => store ?? gone(order));
    },
    nextStatuses: ({ status }) => transitions[status],
    // GraphQL takes any iterable for a list.
    items: ({ items }) => items as readonly Readonly<Record<string, unknown>>[],
    ...ofAnyOrder,
    lines: readLines,
    priceMinorUnits: propertyResolver('price'),
    taxMinorUnits: propertyResolver('tax'),
    totalMinorUnits: order => Number(totalOf(order)),
    tipMinorUnits: ({ service }) => service?.tip ?? null,
    address: ({ service }) => service?.address ?? null,
    payments: order => withOwner(order, order.service?.payments),
    charges: order => withOwner(order, order.service?.charges),
    discounts: order => withOwner(order, order.service?.discounts),
    steps: ({ steps }) => steps ?? [],
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
  GuestOrder: {
    number: ({ id }) => id.slice(-4),
    ...ofAnyOrder,
    lines: order => readLines(order) ?? [],
  },
  GuestOrderLine: { totalPrice: moneyOfPart('totalPrice') },
  OrderStep: {
    at: ({ at }) => new Date(at),
    keyName: ({ by }, _args, { scope }) => (scope && mayReadKeyNames(scope) ? (by ?? null) : null),
    confirmedReadyBy: ({ readyBy }) => (readyBy == null ? null : new Date(readyBy)),
  },
  OrderQuote: {
    lines: ({ order, store }) => (order ? readLines({ ...ownerOf(store), items: order.items }) : null),
    price: ({ order, store }) => moneyIfGiven(ownerOf(store), order?.price),
    priceMinorUnits: ({ order }) => order?.price ?? null,
    tax: ({ order, store }) => moneyIfGiven(ownerOf(store), order?.tax),
    taxMinorUnits: ({ order }) => order?.tax ?? null,
    charges: ({ order, store }) => (order ? withOwner(ownerOf(store), order.service?.charges) : null),
    discounts: ({ order, store }) => (order ? withOwner(ownerOf(store), order.service?.discounts) : null),
    tip: ({ order, store }) => moneyIfGiven(ownerOf(store), order?.service?.tip),
    tipMinorUnits: ({ order }) => order?.service?.tip ?? null,
    total: ({ order, store }) => (order ? moneyOf(ownerOf(store), Number(totalOf(order))) : null),
    totalMinorUnits: ({ order }) => (order ? Number(totalOf(order)) : null),
    readyBy: ({ order }) => order?.readyBy ?? null,
  },
  OrderProblem: {
    path: ({ path }) => path.map(String),
    code: ({ type }) => type.toUpperCase() as Uppercase<typeof type>,
  },
  OrderPayment: { amount: moneyOfPart('amount'), amountMinorUnits: propertyResolver('amount') },
  OrderAdjustment: {
    amount: moneyOfPart('amount'),
    amountMinorUnits: propertyResolver('amount'),
    tax: ({ owner, tax }) => moneyIfGiven(owner, tax),
    taxMinorUnits: ({ tax }) => tax ?? null,
  },
  OrderLine: {
    price: moneyOfPart('price'),
    priceMinorUnits: propertyResolver('price'),
    tax: moneyOfPart('tax'),
    taxMinorUnits: propertyResolver('tax'),
    totalPrice: moneyOfPart('totalPrice'),
    totalPriceMinorUnits: propertyResolver('totalPrice'),
    totalTax: moneyOfPart('totalTax'),
    totalTaxMinorUnits: propertyResolver('totalTax'),
    item: async ({ owner, itemExternalId }, _args, { loaders }) =>
      (await loaders.menusOfStores.load(owner))?.items.get(itemExternalId) ?? null,
  },
  OrderLineModifier: {
    priceChange: moneyOfPart('priceChange'),
    priceChangeMinorUnits: propertyResolver('priceChange'),
    taxChange: moneyOfPart('taxChange'),
    taxChangeMinorUnits: propertyResolver('taxChange'),
    modifierItem: async ({ owner, modifierItemExternalId }, _args, { loaders }) =>
      (await loaders.menusOfStores.load(owner))?.modifierItems.get(modifierItemExternalId) ?? null,
  },
} satisfies Resolvers;

function gone({ id, store }: Order): never {
  throw new Error(`Store ${store} of order ${id} is gone`);
}
