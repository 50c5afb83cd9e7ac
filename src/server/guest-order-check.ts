import { randomUUID } from 'node:crypto';
import { Unavailable } from '@carte/base/errors';
import type { FastifyInstance } from 'fastify';
import type { CheckGuestOrder } from '../graphql/context.ts';
import { headersOf } from '../webhooks/send.ts';
import { currentRecord } from './requests.ts';

const maxMessageLength = 500;
const maxResponseBytes = 16 * 1024;

/** Creates the check of guests' orders by the operator (docs/operating.md#orders-of-guests); undefined if there is none. */
export function createGuestOrderCheck({ config, log }: FastifyInstance): CheckGuestOrder | undefined {
  const { url, secret, seconds } = config.guestOrderCheck;
  if (url === undefined || secret === undefined) return undefined;
  return async order => {
    const message = { id: `check_${randomUUID()}`, body: JSON.stringify(bodyOf(order)) };
    // Guests who only wait for it keep no others from the menu.
    currentRecord()?.leaveShare?.();
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: headersOf({ url, secrets: [secret] }, message),
        body: message.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(seconds * 1_000),
      });
      if (response.status === 422) return refusalOf(await readText(response));
      await response.body?.cancel();
      if (response.ok) return undefined;
      throw new Error(`the response has status ${response.status}`);
    } catch (error) {
      log.warn({ err: error }, "A guest's order was not placed, because the operator's check has failed");
      throw new Unavailable('The order cannot be checked at the moment, and was not placed.');
    }
  };
}

type UncheckedOrder = Parameters<CheckGuestOrder>[0];

/** In the names of REST, as messages to webhooks are. */
function bodyOf({ store, input, quote, keyId, address, total, currency }: UncheckedOrder): object {
  const { idempotencyKey, verification = null, customer, customerComments = null, tip = 0, table = null } = input;
  const { items, price, tax, readyBy, serviceType } = quote;
  return {
    type: 'guest_order.check',
    timestamp: new Date().toISOString(),
    data: {
      store_id: store.id,
      key_id: keyId,
      client_address: address,
      idempotency_key: idempotencyKey,
      verification,
      order: {
        customer,
        items,
        price,
        tax,
        tip,
        total,
        currency,
        ready_by: readyBy.toISOString(),
        service_type: serviceType,
        table,
        customer_comments: customerComments,
      },
    },
  };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error(`the response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The operator's words for the guest, which are `message` of the response. */
function refusalOf(text: string): string {
  const { message } = JSON.parse(text) as { readonly message?: unknown };
  if (typeof message !== 'string' || message === '') throw new Error('the response has status 422, but no message');
  return message.slice(0, maxMessageLength);
}
