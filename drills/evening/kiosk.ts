import { setTimeout as sleep } from 'node:timers/promises';
import { openMenu } from '../support/menu.ts';

interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the route
  readonly body: any;
}

export type Call = (method: 'GET' | 'POST', path: string, body?: object, key?: string) => Promise<Response>;

/** Sends a request, again and again until the service has responded. */
export function createCall(url: string, key: string): Call {
  return async (method, path, body, idempotencyKey) => {
    for (;;) {
      try {
        const response = await fetch(url + path, {
          method,
          headers: {
            'x-api-key': key,
            'content-type': 'application/json',
            ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          },
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(30_000),
        });
        const json = await response.json();
        if (response.status < 500 && response.status !== 429) return { status: response.status, body: json };
      } catch {
        // The process was killed, or there is none.
      }
      await sleep(100 + Math.random() * 100);
    }
  };
}

const name = (en: string) => ({ translations: { en } });

/** Two dishes, always available. */
export const menu = {
  menus: [openMenu],
  categories: [{ external_id: 'food', name: name('Food'), item_external_ids: ['soup', 'fish'] }],
  items: [
    { external_id: 'soup', name: name('Soup'), price: 500, tax: 50, sell_separately: true },
    { external_id: 'fish', name: name('Fish'), price: 1500, tax: 150, sell_separately: true },
  ],
};

export interface Placed {
  readonly id: string;
  readonly dish: string;
  readonly price: number;
  /** When the request was sent that placed it, and when it had its response. */
  readonly sentAt: number;
  readonly placedAt: number;
}

/** Places an order: soup where fish is sold out, and later while the store is paused. Every tenth guest tries to cancel at once. */
export async function order(call: Call, path: string, number: number): Promise<Placed> {
  let dish = number % 3 === 0 ? 'fish' : 'soup';
  for (let attempt = 0; ; attempt++) {
    const body = {
      customer: { name: `Guest ${number}`, phone: '' },
      lines: [{ item_external_id: dish, quantity: 1 + (number % 2) }],
    };
    const sentAt = Date.now();
    const { status, body: placed } = await call('POST', `${path}/orders`, body, `${number}-${attempt}`);
    if (status === 200) {
      if (number % 10 === 0) {
        const cancel = { status: 'CUSTOMER_CANCELLED', expected_status: 'PENDING' };
        await call('POST', `/pos/v1/orders/${placed.id}/status`, cancel);
      }
      return { id: placed.id, dish, price: placed.price / (1 + (number % 2)), sentAt, placedAt: Date.now() };
    }
    if (status !== 422) throw new Error(`An order is ${status}: ${JSON.stringify(placed)}`);
    dish = 'soup';
    await sleep(300);
  }
}
