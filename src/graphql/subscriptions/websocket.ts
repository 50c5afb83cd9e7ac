import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { RetryableError, Unauthenticated, type Unavailable } from '@carte/base/errors';
import type { FastifyInstance } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type OperationResult } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { retryWhileUnavailable, toUnavailable } from '../../database/errors.ts';
import type { Caller } from '../../scope.ts';
import { type FormatErrors, findClientError, type TranslateError } from '../errors.ts';
import type { OpenStream } from './open-streams.ts';
import { openTimeoutMs, type Results, type StreamResult, type SubscriptionRequest } from './subscribe.ts';
import {
  closeCodes,
  countControlFrames,
  createConnection,
  createPendingConnections,
  receiveMessages,
  type WebSocketConnection,
} from './websocket-connection.ts';

export interface WebSocketOptions {
  readonly schema: GraphQLSchema;
  /** Authenticates the key of a connection, and counts a request of it. */
  readonly authenticateKey: (key: string, connection: object, request: IncomingMessage) => Promise<Caller>;
  /** Finds and validates the document, and what the key may read of it; returns its errors otherwise. */
  readonly validate: (parameters: object, caller: Caller) => SubscriptionRequest | readonly GraphQLError[];
  readonly open: (key: string, caller: Caller, request: IncomingMessage) => OpenStream;
  readonly subscribe: (request: SubscriptionRequest, stream: OpenStream) => Promise<Results>;
  readonly formatErrors: FormatErrors;
  readonly translateError: TranslateError;
  /** Whether a page may open a WebSocket at all; its key is checked when the connection is initialised. */
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean | Promise<boolean>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Streams that a key may have open. */
  readonly maxStreams: number;
}

const path = '/graphql';
/** A subscription and its variables are small. */
const maxPayload = 256 * 1024;
/** Parts of one message: more than a network makes of 256 KB, and few enough to be joined. */
const maxParts = 1_024;
/** For so long a connection may stay that is not initialised. */
const initTimeoutMs = 3_000;

/** Whether a request opens a WebSocket; any other upgrade, such as that to h2c which Java's HttpClient proposes, is ignored. */
export function isWebSocketRequest({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && url.split('?')[0] === path && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Serves subscriptions by the protocol graphql-transport-ws. Returns the function that closes all connections. */
export function mountWebSocket(app: FastifyInstance, options: WebSocketOptions): () => void {
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    maxFragments: maxParts,
    maxBufferedChunks: maxParts,
    // Pongs are counted first.
    autoPong: false,
    handleProtocols,
  });
  const server = createProtocolServer(options);
  const addPending = createPendingConnections();
  let isClosing = false;

  const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const isAllowed = await options.isAllowedOrigin(request);
    if (isClosing) return refuse(socket, '503 Service Unavailable', 'The service is shutting down.');
    if (!isAllowed) {
      const detail = `The origin ${request.headers.origin} is not allowed: no publishable key has it, nor CARTE_CORS_ORIGINS or CARTE_OWN_ORIGINS.`;
      return refuse(socket, '403 Forbidden', detail);
    }
    webSockets.handleUpgrade(request, socket, head, webSocket => {
      const connection = createConnection(webSocket, socket, request);
      const remove = addPending(options.addressOf(request), () =>
        connection.close(closeCodes.tryAgainLater, 'Too many connections are not initialised'),
      );
      connection.onInitialised = remove;
      webSocket.once('close', remove);
      serve(server, connection, { maxStreams: options.maxStreams, onError: error => app.log.error(error) });
    });
  };
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    onUpgrade(request, socket, head).catch(() =>
      refuse(socket, '503 Service Unavailable', 'The origin of the page could not be looked up.'),
    );
  });
  return () => {
    isClosing = true;
    for (const socket of webSockets.clients) socket.close(closeCodes.goingAway, 'The service is shutting down');
  };
}

/** What graphql-ws passes from one hook to the next as the context value. */
interface Subscription {
  readonly request: SubscriptionRequest;
  readonly stream: OpenStream;
  readonly connection: WebSocketConnection;
}

function createProtocolServer(options: WebSocketOptions) {
  const { schema, authenticateKey, validate, open, subscribe, formatErrors, translateError } = options;
  return makeServer<Record<string, unknown>, WebSocketConnection>({
    connectionInitWaitTimeout: initTimeoutMs,
    async onConnect({ connectionParams, extra }) {
      const { socket, request } = extra;
      const key = connectionParams?.['x-api-key'] ?? request.headers['x-api-key'];
      try {
        if (typeof key !== 'string') throw new Unauthenticated('The payload of connection_init has no x-api-key.');
        extra.key = key;
        await authenticateKey(key, socket, request);
        extra.initialise();
        return true;
      } catch (error) {
        // Any other error closes the connection with a code after which clients give up.
        const clientError = findClientError(error, translateError);
        if (!clientError) throw error;
        extra.close(
          clientError instanceof RetryableError ? closeCodes.tryAgainLater : CloseCode.Forbidden,
          clientError.message,
        );
        return false;
      }
    },
    async onSubscribe({ extra }, _id, payload) {
      const { key, socket, signal, request: upgrade } = extra;
      try {
        const caller = await orClose(
          extra,
          retryWhileUnavailable(() => authenticateKey(key, socket, upgrade), signal, openTimeoutMs),
        );
        const request = validate(payload, caller);
        if ('length' in request) return request;
        const contextValue: Subscription = { request, stream: open(key, caller, upgrade), connection: extra };
        return { schema, document: request.document, operationName: request.operationName, contextValue };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return [new GraphQLError(error.message, { originalError: error })];
      }
    },
    async subscribe({ contextValue }) {
      const { request, stream, connection } = contextValue as Subscription;
      try {
        const results = await orClose(connection, subscribe(request, stream));
        return closingIfInterrupted(results, connection) as unknown as OperationResult;
      } catch (error) {
        if (connection.isOpen) throw error;
        // Nothing is sent to a connection that is closed.
        return {};
      }
    },
    onNext: (_context, _id, _payload, _args, next) => (next as unknown as StreamResult).result,
    onError: (_context, _id, _payload, errors) => formatErrors(errors as readonly GraphQLError[]),
  });
}

/** Closes the connection if a stream cannot be opened for now: an `error` or `complete` message would be final. */
async function orClose<T>(connection: WebSocketConnection, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const unavailable: Unavailable | undefined = toUnavailable(error);
    if (unavailable) connection.close(closeCodes.tryAgainLater, unavailable.message);
    throw error;
  }
}

/** Closes the connection when a stream was interrupted: graphql-ws would send `complete`. */
function closingIfInterrupted(results: Results, connection: WebSocketConnection): Results {
  const { next } = results;
  return Object.assign(results, {
    async next() {
      const result = await next.call(results);
      if (result.done && result.value === 'interrupted') {
        connection.close(closeCodes.tryAgainLater, 'The stream was interrupted; subscribe again with the last cursor');
      }
      return result;
    },
  });
}

function serve(
  server: ReturnType<typeof createProtocolServer>,
  connection: WebSocketConnection,
  { maxStreams, onError }: { readonly maxStreams: number; readonly onError: (error: unknown) => void },
): void {
  const { socket } = connection;
  countControlFrames(connection);
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // Resolves when the message is on its way, so that a stream waits for its reader.
      send: message =>
        new Promise(resolve => {
          if (!connection.isOpen) return resolve();
          socket.send(message, () => {
            connection.readOrPause();
            resolve();
          });
        }),
      close: (code = closeCodes.normalClosure, reason = '') => connection.close(code, reason),
      onMessage: handle =>
        receiveMessages(connection, maxStreams, message =>
          handle(message).catch((error: unknown) => {
            onError(error);
            connection.close(CloseCode.InternalServerError, 'Internal server error');
          }),
        ),
    },
    connection,
  );
  socket.once('close', (code, reason) => {
    closed(code, String(reason)).catch(onError);
  });
}

const refuse = (socket: Duplex, status: string, detail: string) => void socket.end(lastResponse(status, detail));

/** The text of a response after which the connection is closed. */
export function lastResponse(status: string, detail: string, headers: readonly string[] = []): string {
  const body = JSON.stringify({ detail });
  const lines = [`HTTP/1.1 ${status}`, 'Connection: close', 'Content-Type: application/json', ...headers];
  return `${[...lines, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;
}
