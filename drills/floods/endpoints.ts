import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Starts endpoints of webhooks: one that responds at once, one after a second, and one never. */
export async function startEndpoints() {
  const arrivedAt = new Map<string, number>();
  let slowMessages = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined || request.url === '/never') return;
    if (request.url === '/fast') {
      arrivedAt.set(JSON.parse(body).data.order_id, performance.now());
      response.end();
      return;
    }
    slowMessages += 1;
    setTimeout(() => response.end(), 1_000);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** When an order has arrived at the one that responds at once. */
    arrivedAt: arrivedAt as ReadonlyMap<string, number>,
    slowMessages: () => slowMessages,
    async createWebhook(
      service: { readonly url: string; readonly key: string },
      merchantId: string,
      path: 'fast' | 'slow' | 'never',
    ): Promise<void> {
      const input = { url: `http://127.0.0.1:${port}/${path}`, merchantId, kinds: ['ORDER_PLACED', 'ORDER_CHANGED'] };
      const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { input } }),
      });
      const { errors } = await response.json();
      if (errors) throw new Error(JSON.stringify(errors));
    },
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
