import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWebSocketClient } from 'graphql-ws';

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
  close(): Promise<void>;
}

export interface StreamRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
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
  const next = async () => {
    const { done, value } = await results.next();
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
    async close() {
      await results.return?.();
      await client.dispose();
    },
  };
}
