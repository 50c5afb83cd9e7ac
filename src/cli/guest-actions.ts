import { createInterface } from 'node:readline/promises';
import { OperatorError } from '@carte/base/errors';
import { isObject, parseExactJson } from '@carte/base/json';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  digitsOf,
  eraseGuest,
  findGuest,
  findSpellings,
  type GuestQuery,
  listOrderIds,
  type Spelling,
} from '../order/guest-data.ts';
import { operatorScope } from '../scope.ts';
import { withDatabase } from './database.ts';
import { printable, table, terminal } from './terminal.ts';

export interface GuestOptions {
  readonly phone: readonly string[];
  readonly merchant?: string;
  readonly all?: boolean;
  readonly format?: 'json' | 'csv';
  readonly yes?: boolean;
}

const guestOf = ({ phone, merchant, all }: GuestOptions): GuestQuery => ({ phones: phone, merchantId: merchant, all });

const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

export async function find(options: GuestOptions): Promise<void> {
  const spellings = await withDatabase(em => findSpellings(em, guestOf(options)));
  if (spellings.length === 0) return terminal.err('No order has a telephone number with these last seven digits.');
  const rows = spellings.map(({ phone, digits, orders, stores, firstAt, lastAt }) => [
    printable(phone),
    digits,
    String(orders),
    String(stores),
    firstAt.toISOString(),
    lastAt.toISOString(),
  ]);
  terminal.out(table([['PHONE', 'DIGITS', 'ORDERS', 'STORES', 'FIRST', 'LAST'], ...rows]));
}

export function exportOrders(options: GuestOptions): Promise<void> {
  return withDatabase(async (em, orm) => {
    // Imported lazily: without the graph the other commands start sooner.
    const { createOrderRenderer } = await import('../server/webhooks.ts');
    const renderOrder = await createOrderRenderer(orm);
    const orders: string[] = [];
    for await (const ids of listOrderIds(em, guestOf(options))) {
      const rendered = await Promise.all(ids.map(id => renderOrder(id, operatorScope)));
      // One that was deleted in the meantime is left out.
      orders.push(...rendered.flatMap(order => (order ? order.toString() : [])));
      terminal.progress(`${count(orders.length, 'order')} read …`);
    }
    terminal.out(options.format === 'csv' ? toCsv(orders) : `[${orders.join(',\n')}]`);
    terminal.err(`${count(orders.length, 'order')} exported.`);
  });
}

/** RFC 4180, with a byte order mark, by which spreadsheets know UTF-8. */
function toCsv(orders: readonly string[]): string {
  const rows = orders.map(order => flatten(parseExactJson(order)));
  const columns = [...new Set(rows.flatMap(row => [...row.keys()]))];
  const lines = [columns, ...rows.map(row => columns.map(column => row.get(column) ?? ''))];
  return `\ufeff${lines.map(cells => cells.map(toCell).join(',')).join('\r\n')}`;
}

/** A cell for each field, those of an object by their path, and lists as JSON. */
function flatten(value: unknown, path = ''): Map<string, string> {
  if (!isObject(value)) return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return new Map(fields.flatMap(([key, field]) => [...flatten(field, path ? `${path}.${key}` : key)]));
}

/** A text that a spreadsheet would take for a formula is marked as text. */
function toCell(text: string): string {
  const isFormula = /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-][\d\s().]*$/.test(text);
  const cell = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

class Interrupted extends OperatorError {
  /** As of a process that SIGINT has ended. */
  override readonly exitStatus = 130;
}

export function erase(options: GuestOptions): Promise<void> {
  return withDatabase(async em => {
    const guest = guestOf(options);
    const { orders, storeIds, open } = await findGuest(em, guest);
    await reportOthers(em, guest);
    if (orders === 0) return terminal.err('No order has these telephone numbers; nothing was changed.');
    const openOrders = open > 0 ? `, ${open} of them not completed yet` : '';
    terminal.err(`${count(orders, 'order')} at ${count(storeIds.length, 'store')}${openOrders}.`);
    if (!options.yes && !(await confirm())) throw new OperatorError('Nothing was changed: the answer was not "yes".');
    const started = performance.now();
    const interruption = new AbortController();
    const { signal } = interruption;
    const interrupt = () => interruption.abort();
    // A second signal ends the process at once.
    process.once('SIGINT', interrupt);
    let done = 0;
    const onBatch = (size: number) => {
      done += size;
      terminal.progress(progressBar(done, orders));
    };
    const erased = await eraseGuest(em, guest, { onBatch, signal }).finally(() => process.off('SIGINT', interrupt));
    if (signal.aborted) {
      throw new Interrupted(
        `Interrupted after ${count(erased.orders, 'order')}. Repeat the command to erase the rest.`,
      );
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const where = count(erased.storeIds.length, 'store');
    terminal.err(`Erased the guest in ${count(erased.orders, 'order')} at ${where}, in ${seconds} s.`);
  });
}

/** Numbers that may be of the same guest, and are not erased. */
async function reportOthers(em: EntityManager, guest: GuestQuery): Promise<void> {
  const given = new Set(guest.phones.map(digitsOf));
  const others = (await findSpellings(em, guest)).filter(({ digits }) => !given.has(digits));
  const describe = ({ phone, orders }: Spelling) => `${printable(phone)} (${count(orders, 'order')})`;
  if (others.length > 0) terminal.err(`Not erased, unless given: ${others.map(describe).join(', ')}`);
}

async function confirm(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>(resolve => lines.once('close', () => resolve('')));
    return (await Promise.race([lines.question('They cannot be restored. Erase? Type yes: '), ended])) === 'yes';
  } finally {
    lines.close();
  }
}

const barWidth = 30;

function progressBar(done: number, total: number): string {
  const filled = Math.min(barWidth, Math.floor((done / total) * barWidth));
  return `[${'#'.repeat(filled).padEnd(barWidth)}] ${done.toLocaleString('en')} of ${count(total, 'order')}`;
}
