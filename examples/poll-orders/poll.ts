/**
 * Polls the open orders of a store, and prints a line for each new or changed one:
 *   CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… node poll.ts lisbon-baixa 5
 * It polls every 5 seconds with the ETag of the last response, which costs next to nothing while no order changes.
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
const maxBackoffMs = 60_000;

/** An error after which a retry may succeed. */
class TransientError extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

async function fetchPage(pageIndex: number, etag?: string): Promise<Response> {
  const query = new URLSearchParams({
    status: 'PENDING,ACCEPTED,READY',
    page_size: String(pageSize),
    page_index: String(pageIndex),
  });
  const url = `${baseUrl}/v1/stores/${encodeURIComponent(storeId)}/orders/?${query}`;
  const headers = { 'x-api-key': key, ...(etag && { 'if-none-match': etag }) };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
    throw new TransientError('Carte is unreachable', undefined, cause);
  });
  if (response.ok || response.status === 304) return response;
  const message = `${response.status} ${await response.text()}`;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (response.status === 429 || response.status >= 500) {
    throw new TransientError(message, Number.isNaN(retryAfter) ? undefined : retryAfter);
  }
  throw new Error(message);
}

/** Fetches the open orders, oldest first, with their ETag; undefined if they are unchanged since the given one. */
async function fetchOpenOrders(known?: string): Promise<{ etag: string; orders: readonly Order[] } | undefined> {
  const first = await fetchPage(0, known);
  if (first.status === 304) return undefined;
  // The ETag of the first page, not of the last: changes made while the others are read are then found by the next poll.
  const etag = first.headers.get('etag') ?? '';
  const byId = new Map<string, Order>();
  let page = (await first.json()) as OrderPage;
  for (let index = 1; ; index++) {
    // A new order shifts the others to later pages, so one may occur twice.
    for (const order of page.order_result_list ?? []) byId.set(order.id, order);
    if (index * pageSize >= page.count) return { etag, orders: [...byId.values()].reverse() };
    page = (await (await fetchPage(index)).json()) as OrderPage;
  }
}

async function pollForever(): Promise<never> {
  let etag: string | undefined;
  let statuses = new Map<string, string>();
  let failures = 0;
  for (;;) {
    let wait = Number(seconds) * 1000;
    try {
      const changed = await fetchOpenOrders(etag);
      failures = 0;
      if (changed) {
        for (const order of changed.orders) if (statuses.get(order.id) !== order.status) print(order);
        statuses = new Map(changed.orders.map(({ id, status }) => [id, status]));
        etag = changed.etag;
      }
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      // Exponential backoff with jitter.
      const backoff = Math.min(maxBackoffMs, wait * 2 ** failures++) * (0.5 + Math.random() / 2);
      wait = error.retryAfterSeconds === undefined ? backoff : error.retryAfterSeconds * 1000;
      console.error(`${error.message}; retrying in ${(wait / 1000).toFixed(1)} s`);
    }
    await sleep(wait);
  }
}

function print({ created_at, status, id, customer, price }: Order): void {
  console.log(`${created_at}  ${status}  ${id}  ${customer.name}  ${price}`);
}

pollForever().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
