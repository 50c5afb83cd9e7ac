/**
 * Follows the open orders of a store, and prints a line for each one that is new or has changed:
 *   CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… node poll.ts lisbon-baixa 5
 * It asks every 5 seconds with the ETag of the last answer, so that asking costs next to nothing while nothing happens.
 */
import { setTimeout as sleep } from 'node:timers/promises';

interface Order {
  readonly id: string;
  readonly created_at: string;
  readonly status: string;
  readonly price: number;
  readonly customer: { readonly name: string; readonly phone: string };
}

interface OrderPage {
  readonly count: number;
  readonly order_result_list?: readonly Order[];
}

const [storeId = 'lisbon-baixa', seconds = '5'] = process.argv.slice(2);
const baseUrl = process.env.CARTE_URL ?? 'http://127.0.0.1:4000';
const key = process.env.CARTE_KEY ?? '';
const pageSize = 500;
const longestWait = 60_000;

/** Asked for again in a moment, this may succeed. */
class Transient extends Error {
  readonly waitSeconds: number | undefined;

  constructor(message: string, waitSeconds?: number, cause?: unknown) {
    super(message, { cause });
    this.waitSeconds = waitSeconds;
  }
}

async function ask(pageIndex: number, tag?: string): Promise<Response> {
  const query = new URLSearchParams({
    status: 'PENDING,ACCEPTED,READY',
    page_size: String(pageSize),
    page_index: String(pageIndex),
  });
  const url = `${baseUrl}/v1/stores/${encodeURIComponent(storeId)}/orders/?${query}`;
  const headers = { 'x-api-key': key, ...(tag && { 'if-none-match': tag }) };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
    throw new Transient('Carte cannot be reached', undefined, cause);
  });
  if (response.ok || response.status === 304) return response;
  const message = `${response.status} ${await response.text()}`;
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (response.status === 429 || response.status >= 500) {
    throw new Transient(message, Number.isNaN(wait) ? undefined : wait);
  }
  throw new Error(message);
}

/** The open orders, oldest first, and the tag to ask with next; undefined while they are as before. */
async function openOrders(known?: string): Promise<{ tag: string; orders: readonly Order[] } | undefined> {
  const first = await ask(0, known);
  if (first.status === 304) return undefined;
  // The tag of the first page, not of the last: what changes while the others are read is then asked for again.
  const tag = first.headers.get('etag') ?? '';
  const byId = new Map<string, Order>();
  let page = (await first.json()) as OrderPage;
  for (let index = 1; ; index++) {
    // An order that comes in meanwhile moves the others down, so one may be met twice.
    for (const order of page.order_result_list ?? []) byId.set(order.id, order);
    if (index * pageSize >= page.count) return { tag, orders: [...byId.values()].reverse() };
    page = (await (await ask(index)).json()) as OrderPage;
  }
}

async function follow(): Promise<never> {
  let tag: string | undefined;
  let statuses = new Map<string, string>();
  let failures = 0;
  for (;;) {
    let wait = Number(seconds) * 1000;
    try {
      const answer = await openOrders(tag);
      failures = 0;
      if (answer) {
        for (const order of answer.orders) if (statuses.get(order.id) !== order.status) report(order);
        statuses = new Map(answer.orders.map(({ id, status }) => [id, status]));
        tag = answer.tag;
      }
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      // Longer each time, and not at the same moment as every other till.
      const backOff = Math.min(longestWait, wait * 2 ** failures++) * (0.5 + Math.random() / 2);
      wait = error.waitSeconds === undefined ? backOff : error.waitSeconds * 1000;
      console.error(`${error.message}; again in ${(wait / 1000).toFixed(1)} s`);
    }
    await sleep(wait);
  }
}

function report({ created_at, status, id, customer, price }: Order): void {
  console.log(`${created_at}  ${status}  ${id}  ${customer.name}  ${price}`);
}

follow().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
