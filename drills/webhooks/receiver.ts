import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** What a store has received. */
interface Progress {
  last: number;
  isAccepted: boolean;
  readonly accepted: Set<string>;
}

/** Starts a receiver that fails half of the time and checks the order and the signature of what it gets. */
export async function startReceiver(violations: string[]) {
  const progress = new Map<string, Progress>();
  const counts = { attempts: 0, repeated: 0 };
  const latencies: number[] = [];
  let secret = '';

  function check(id: string, storeId: string, orderId: string, isAccepted: boolean): void {
    const position = Number(id.slice('msg_'.length));
    const store = progress.get(storeId) ?? { last: 0, isAccepted: true, accepted: new Set<string>() };
    progress.set(storeId, store);
    if (position < store.last) violations.push(`${storeId}: ${id} after a later event`);
    if (position > store.last && !store.isAccepted)
      violations.push(`${storeId}: ${id} before its predecessor was accepted`);
    if (store.accepted.has(orderId)) counts.repeated += 1;
    store.isAccepted = isAccepted || (position === store.last && store.isAccepted);
    store.last = position;
    if (isAccepted) store.accepted.add(orderId);
  }

  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    counts.attempts += 1;
    const isAccepted = Math.random() < 0.5;
    try {
      new Webhook(secret).verify(body, request.headers as Record<string, string>);
    } catch (error) {
      violations.push(`${request.headers['webhook-id']}: ${error}`);
    }
    const { timestamp, data } = JSON.parse(body);
    check(String(request.headers['webhook-id']), data.store_id, data.order_id, isAccepted);
    if (isAccepted) latencies.push(Date.now() - Date.parse(timestamp));
    response.writeHead(isAccepted ? 200 : 500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    expectSecret(expected: string): void {
      secret = expected;
    },
    countAccepted: () => [...progress.values()].reduce((sum, { accepted }) => sum + accepted.size, 0),
    describe(): string {
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) => `${sorted[Math.floor((sorted.length - 1) * share)]} ms`;
      const times = `median ${at(0.5)}, 99 % ${at(0.99)}, slowest ${at(1)}`;
      return `${counts.attempts} attempts, ${counts.repeated} repetitions; from the event to its acceptance: ${times}`;
    },
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
