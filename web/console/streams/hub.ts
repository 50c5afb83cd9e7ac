import { type Client, createClient } from 'graphql-ws';

/** A subscription of a key. */
export interface StreamRequest {
  /** Streams of different keys share nothing. */
  readonly key: string;
  /** The endpoint of the graph. */
  readonly url: string;
  readonly payload: {
    readonly query: string;
    readonly operationName: string;
    /** `after` is the cursor where the stream begins. */
    readonly variables: Record<string, unknown>;
  };
  /** The network was cut until this time, in ms: a connection from before may be dead without a sign. */
  readonly lostAt: number;
}

export interface StreamResult {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface StreamListener {
  /** Called when the stream is connected, with whether it has passed the cursor of this listener, who may have missed events. */
  readonly onOpen: (hasPassed: boolean) => void;
  readonly onResult: (result: StreamResult) => void;
  readonly onEnd: () => void;
}

/** The streams of a key, over one WebSocket. */
interface Connection {
  readonly client: Client;
  readonly openedAt: number;
  readonly streams: Map<string, Stream>;
  isConnected: boolean;
}

interface Stream {
  /** With the cursor of each. */
  readonly listeners: Map<StreamListener, unknown>;
  /** Of its last event. */
  cursor: unknown;
  isOpen: boolean;
  readonly end: () => void;
}

/** How often a connection is tested, and how long the response may take. */
const pingMs = 10_000;
const pongMs = 5000;

/**
 * Opens each subscription of a key once, however many listen to it. All are on one WebSocket, which is not among the six connections that
 * browsers open to a server over HTTP/1.1. Where a proxy refuses it, one subscription of a key is streamed as Server-Sent Events.
 */
export function createHub() {
  const connections = new Map<string, Connection>();

  function connect({ key, url }: StreamRequest): Connection {
    let timer: ReturnType<typeof setTimeout>;
    const streams = new Map<string, Stream>();
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      connectionParams: { 'x-api-key': key },
      // Whoever listens opens the stream again, with what it missed.
      retryAttempts: 0,
      keepAlive: pingMs,
      on: {
        connected() {
          connection.isConnected = true;
          for (const stream of streams.values()) open(stream);
        },
        ping(isReceived) {
          if (!isReceived) timer = setTimeout(() => client.terminate(), pongMs);
        },
        pong: () => clearTimeout(timer),
        closed: () => clearTimeout(timer),
      },
    });
    const connection: Connection = { client, streams, openedAt: Date.now(), isConnected: false };
    connections.set(key, connection);
    return connection;
  }

  function open(stream: Stream): void {
    if (stream.isOpen) return;
    stream.isOpen = true;
    for (const [{ onOpen }, cursor] of stream.listeners) onOpen(stream.cursor !== cursor);
  }

  function start(name: string, request: StreamRequest, connection: Connection): Stream {
    const { key, url, payload } = request;
    const { client, streams } = connection;
    const listeners: Stream['listeners'] = new Map();
    const end = () => {
      if (streams.get(name) === stream) streams.delete(name);
      if (streams.size === 0 && connections.get(key) === connection) connections.delete(key);
      const ended = [...listeners.keys()];
      listeners.clear();
      stop();
      for (const { onEnd } of ended) onEnd();
    };
    const stream: Stream = { listeners, cursor: payload.variables.after, isOpen: false, end };
    const sink = {
      next(result: StreamResult) {
        stream.cursor = cursorOf(result) ?? stream.cursor;
        for (const { onResult } of listeners.keys()) onResult(result);
      },
      error: end,
      complete: end,
    };
    const streamOverHttp = async () => {
      const { createClient: createSseClient } = await import('graphql-sse');
      const on = { connected: () => open(stream) };
      const sse = createSseClient({ url, headers: { 'x-api-key': key }, retryAttempts: 0, on });
      if (listeners.size > 0) stop = sse.subscribe(payload, sink);
    };
    streams.set(name, stream);
    let stop = client.subscribe(payload, {
      ...sink,
      error: () => (connection.isConnected || streams.size > 1 ? end() : streamOverHttp().catch(end)),
    });
    return stream;
  }

  return {
    /** Listens to a subscription; the returned function ends that. */
    listen(request: StreamRequest, listener: StreamListener): () => void {
      const { key, lostAt, payload } = request;
      const { after, ...variables } = payload.variables;
      const known = connections.get(key);
      if (known && known.openedAt < lostAt) for (const { end } of [...known.streams.values()]) end();
      const connection = connections.get(key) ?? connect(request);
      const name = JSON.stringify([payload.query, variables]);
      const stream = connection.streams.get(name) ?? start(name, request, connection);
      stream.listeners.set(listener, after);
      if (stream.isOpen) listener.onOpen(stream.cursor !== after);
      else if (connection.isConnected) open(stream);
      return () => {
        stream.listeners.delete(listener);
        if (stream.listeners.size === 0) stream.end();
      };
    },
  };
}

/** The cursor of the event in a result. */
function cursorOf({ data }: StreamResult): unknown {
  const [event] = Object.values(data ?? {});
  return typeof event === 'object' && event !== null && 'cursor' in event ? event.cursor : undefined;
}
