import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWebSocketClient } from 'graphql-ws';
import type { StreamId } from '../src/events/cursor.ts';

/** A cursor as 0.2.0 has written it: clients may still have such, and it needs no key. */
export function formerCursor(
  field: StreamId['field'],
  { storeId = '', position }: { storeId?: string; position: number },
) {
  return Buffer.from(`${field}1 ${position} ${field === 'storeEvents' ? '' : storeId}`).toString('base64url');
}

export type Transport = 'sse' | 'websocket';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
type Result = any;

/** A stream of the results of a subscription, by a client of the transport's own package. */
export interface Stream {
  next(): Promise<Result>;
  /** The next results. */
  take(count: number): Promise<Result[]>;
  /** Resolves to every further result when the stream is completed by the service. */
  rest(): Promise<Result[]>;
  close(): void;
}

export interface StreamRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/** Opens a stream; it rejects if the connection is closed, without a retry. */
export function openStream(
  transport: Transport,
  service: { readonly url: string; readonly key: string },
  request: StreamRequest,
): Stream {
  const headers = { 'x-api-key': service.key };
  const url = `${service.url}/graphql`;
  const client =
    transport === 'sse'
      ? createSseClient({ url, headers, retryAttempts: 0 })
      : createWebSocketClient({ url: url.replace('http', 'ws'), connectionParams: headers, retryAttempts: 0 });
  const results = client.iterate(request);
  // The iterators of the clients may leave a pending `next` unsettled when they are closed.
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => {});
  const next = async () => {
    const { done, value } = await Promise.race([results.next(), closed.promise]);
    if (done) throw new Error('The stream is complete');
    return value;
  };
  return {
    next,
    async take(count) {
      const taken: Result[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    async rest() {
      const taken: Result[] = [];
      for await (const result of { [Symbol.asyncIterator]: () => results }) taken.push(result);
      return taken;
    },
    close() {
      closed.reject(new Error('The stream is closed'));
      void results.return?.();
      void client.dispose();
    },
  };
}

/** A client that opens its stream again where it ended, however it ended. */
export interface ResumingSubscriber {
  /** The cursors of all events, as they came. */
  readonly cursors: readonly string[];
  /** Errors other than that the service is unavailable. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

const watchOrders = `subscription ($storeId: ID!, $after: String) {
  orderEvents(storeId: $storeId, after: $after) { cursor orderId order { id } }
}`;

/** Watches the orders of a store from a cursor on; closes its connection after a random number of events, while more may be on their way. */
export function watchWithInterruptions(
  transport: Transport,
  service: { readonly url: string; readonly key: string },
  { storeId, after, maxEvents }: { readonly storeId: string; readonly after: string; readonly maxEvents: number },
): ResumingSubscriber {
  const cursors: string[] = [];
  const problems: string[] = [];
  let isStopped = false;
  let stream: Stream | undefined;

  async function readUntilClosed(opened: Stream): Promise<void> {
    for (let left = Math.ceil(Math.random() * maxEvents); left > 0; left--) {
      const { data, errors } = await opened.next();
      const [error] = errors ?? [];
      if (error && error.extensions?.code !== 'UNAVAILABLE') problems.push(error.message);
      if (error) return;
      const { cursor, orderId, order } = data.orderEvents;
      if (orderId !== (order?.id ?? null)) problems.push(`The event ${cursor} has no order`);
      cursors.push(cursor);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      const variables = { storeId, after: cursors.at(-1) ?? after };
      const opened = openStream(transport, service, { query: watchOrders, variables });
      stream = opened;
      await readUntilClosed(opened).catch(() => {});
      opened.close();
      await sleep(Math.random() * 50);
    }
  }

  const running = run();
  return {
    cursors,
    problems,
    async stop() {
      isStopped = true;
      stream?.close();
      await running;
    },
  };
}
