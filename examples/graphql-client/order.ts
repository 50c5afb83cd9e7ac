/**
 * Fills a cart with the first item that can be ordered, shows what it costs, places the order, and prints it for the kitchen, which accepts it:
 *   npm run generate && CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm run order -- lisbon-baixa
 */
import { connect } from './graph.ts';
import {
  AcceptDocument,
  CartDocument,
  type CartQuery,
  type LineFragment,
  OrderableDocument,
  type OrderableQuery,
  PlaceDocument,
  type PriceFragment,
  type TicketFragment,
} from './operations.ts';

type Store = NonNullable<OrderableQuery['store']>;
type Item = Store['menus'][number]['categories'][number]['items'][number];
type Quote = NonNullable<CartQuery['quoteOrder']>;

const [storeId = 'lisbon-baixa'] = process.argv.slice(2);
const languages = ['en', 'pt'];
const execute = connect(process.env.CARTE_URL ?? 'http://127.0.0.1:4000', process.env.CARTE_KEY ?? '');

/** The first item of a menu that is sold by itself, and when the menu is available next. */
function findItem({ menus }: Store): { item: Item; readyBy: string } {
  for (const { nextAvailableAt, categories } of menus) {
    const item = categories
      .flatMap(({ items }) => items)
      .find(({ inStock, sellSeparately }) => inStock && sellSeparately);
    if (item && nextAvailableAt) return { item, readyBy: nextAvailableAt };
  }
  throw new Error(`Nothing can be ordered at ${storeId}`);
}

/** What a page selects before the guest does: the defaults, and the first of a group in which something must be chosen. */
function defaultModifiers({ modifierGroups }: Item) {
  return modifierGroups.flatMap(({ externalId: modifierGroupExternalId, groupMin, modifierItems }) => {
    const offered = modifierItems.filter(({ inStock }) => inStock);
    const defaults = offered.filter(({ defaultQuantity }) => defaultQuantity > 0);
    const chosen = defaults.length > 0 ? defaults : offered.slice(0, groupMin);
    return chosen.map(({ externalId, defaultQuantity }) => ({
      modifierGroupExternalId,
      modifierItemExternalId: externalId,
      quantity: Math.max(1, defaultQuantity),
    }));
  });
}

function* describeLine({ quantity, name, modifiers, note }: LineFragment): Generator<string> {
  yield `${quantity} × ${name.text}`;
  for (const modifier of modifiers) yield `    ${modifier.quantity} × ${modifier.name.text}`;
  if (note) yield `    ! ${note}`;
}

/** Formats an amount; one whose currency is unknown, in its smallest unit. */
function formatMoney({ amount, currency, decimal }: PriceFragment): string {
  if (!currency || !decimal) return String(amount);
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(decimal));
}

function showCart({ lines, charges, discounts, tip, total }: Quote): void {
  const print = (label: string, text: string) => console.log(`${label.padEnd(40)}${text.padStart(12)}`);
  for (const line of lines ?? []) {
    const [first = '', ...others] = describeLine(line);
    print(first, formatMoney(line.totalPrice));
    for (const text of others) console.log(text);
  }
  for (const { name, amount } of charges ?? []) print(name, formatMoney(amount));
  for (const { name, amount } of discounts ?? []) print(name, `-${formatMoney(amount)}`);
  if (tip) print('Tip', formatMoney(tip));
  if (total) print('Total', formatMoney(total));
}

function showTicket({
  status,
  serviceType,
  table,
  customer,
  lines,
  confirmedReadyBy,
  readyBy,
  steps,
}: TicketFragment): void {
  console.log(
    `${status}: ${serviceType} at table ${table} for ${customer.name}, ready by ${confirmedReadyBy ?? readyBy}`,
  );
  // Null for imported orders of another shape.
  for (const line of lines ?? []) for (const text of describeLine(line)) console.log(`  ${text}`);
  for (const { status: next, keyName, reason } of steps)
    console.log(`  ${next} by ${keyName}${reason ? `: ${reason}` : ''}`);
}

const { store } = await execute(OrderableDocument, { store: storeId, now: new Date().toISOString() });
if (!store) throw new Error(`No store in this key's scope has the id "${storeId}"`);
const { item, readyBy } = findItem(store);
const cart = {
  storeId,
  readyBy,
  lines: [{ itemExternalId: item.externalId, quantity: 2, note: 'no hurry', modifiers: defaultModifiers(item) }],
  serviceType: 'DINE_IN' as const,
  table: '12',
  charges: [{ name: 'Cover', amount: 150 }],
  tip: 100,
};

const { quoteOrder: quote } = await execute(CartDocument, { input: cart, languages });
for (const { path, message } of quote?.problems ?? []) console.log(`${path.join('.')}: ${message}`);
if (quote?.total) showCart(quote);

const customer = { name: 'Inês Duarte', phone: '+351 912 000 111' };
// Created once for each order, so that a call without a response can be repeated.
const input = { ...cart, customer, idempotencyKey: crypto.randomUUID() };
const { placeOrder } = await execute(PlaceDocument, { input, languages });
if (!placeOrder || placeOrder.order.total.amount !== quote?.total?.amount)
  throw new Error('The menu has changed since the quote');

const { changeOrderStatus } = await execute(AcceptDocument, { order: placeOrder.order.id, readyBy, languages });
if (changeOrderStatus) showTicket(changeOrderStatus.order);
