import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type OperationResult } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { RetryableError, Unauthenticated } from '../../errors.ts';
import { type FormatErrors, findClientError, type TranslateError } from '../errors.ts';
import type { OpenStream, StreamCaller } from './open-streams.ts';
import type { Results, StreamResult, SubscriptionRequest } from './subscribe.ts';

export interface WebSocketOptions {
  readonly schema: GraphQLSchema;
  /** Authenticates the key of a connection, and counts a request of it. */
  readonly authenticate: (key: string, connection: object, request: IncomingMessage) => Promise<StreamCaller>;
  /** Finds and validates the document; returns its errors otherwise. */
  readonly validate: (parameters: object) => SubscriptionRequest | readonly GraphQLError[];
  readonly open: (key: string, caller: StreamCaller) => OpenStream;
  readonly subscribe: (request: SubscriptionRequest, stream: OpenStream) => Promise<Results>;
  readonly formatErrors: FormatErrors;
  readonly translateError: TranslateError;
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean;
}

interface Connection {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  key: string;
}

const path = '/graphql';
/** A subscription and its variables are small. */
const maxPayload = 256 * 1024;
/** A client that does not read is not read from, so that responses to its messages do not pile up. */
const maxBufferedBytes = 1024 * 1024;
/** A client that has not responded to a ping by the next one is gone. */
const pingMs = 12_000;
/** Standard close codes: the server goes away, and try again later. */
const goingAway = 1001;
const tryAgainLater = 1013;

/** Whether a request opens a WebSocket; any other upgrade, such as that to h2c which Java's HttpClient proposes, is ignored. */
export function isWebSocketRequest({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && url.split('?')[0] === path && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Serves subscriptions by the protocol graphql-transport-ws. Returns the function that closes all connections. */
export function mountWebSocket(app: FastifyInstance, options: WebSocketOptions): () => void {
  const webSockets = new WebSocketServer({ noServer: true, maxPayload, handleProtocols });
  const server = createProtocolServer(options);
  let isClosing = false;

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (isClosing) return refuse(socket, '503 Service Unavailable', 'The service is shutting down.');
    if (!options.isAllowedOrigin(request)) {
      return refuse(
        socket,
        '403 Forbidden',
        `The origin ${request.headers.origin} is not allowed (CARTE_CORS_ORIGINS).`,
      );
    }
    webSockets.handleUpgrade(request, socket, head, webSocket => {
      serve(server, { socket: webSocket, request, key: '' }, error => app.log.error(error));
    });
  });
  return () => {
    isClosing = true;
    for (const socket of webSockets.clients) socket.close(goingAway, 'The service is shutting down');
  };
}

type ProtocolServer = ReturnType<typeof createProtocolServer>;

/** What graphql-ws passes from one hook to the next as the context value. */
interface Subscription {
  readonly request: SubscriptionRequest;
  readonly stream: OpenStream;
}

function createProtocolServer(options: WebSocketOptions) {
  const { schema, authenticate, validate, open, subscribe, formatErrors, translateError } = options;
  return makeServer<Record<string, unknown>, Connection>({
    async onConnect({ connectionParams, extra }) {
      const { socket, request } = extra;
      const key = connectionParams?.['x-api-key'] ?? request.headers['x-api-key'];
      try {
        if (typeof key !== 'string') throw new Unauthenticated('The payload of connection_init has no x-api-key.');
        extra.key = key;
        await authenticate(key, socket, request);
        return true;
      } catch (error) {
        // Any other error closes the connection with a code after which clients give up.
        const clientError = findClientError(error, translateError);
        if (!clientError) throw error;
        socket.close(clientError instanceof RetryableError ? tryAgainLater : CloseCode.Forbidden, clientError.message);
        return false;
      }
    },
    async onSubscribe({ extra: { key, socket, request: upgrade } }, _id, payload) {
      try {
        const caller = await authenticate(key, socket, upgrade);
        const request = validate(payload);
        if ('length' in request) return request;
        const contextValue: Subscription = { request, stream: open(key, caller) };
        return { schema, document: request.document, operationName: request.operationName, contextValue };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return [new GraphQLError(error.message, { originalError: error })];
      }
    },
    subscribe({ contextValue }) {
      const { request, stream } = contextValue as Subscription;
      return subscribe(request, stream) as unknown as OperationResult;
    },
    onNext: (_context, _id, _payload, _args, next) => (next as unknown as StreamResult).result,
    onError: (_context, _id, _payload, errors) => formatErrors(errors as readonly GraphQLError[]),
  });
}

/** Connects a socket to the protocol. */
function serve(server: ProtocolServer, connection: Connection, onError: (error: unknown) => void): void {
  const { socket } = connection;
  let isAlive = true;
  const ping = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingMs);
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // Resolves when the message is on its way, so that a stream waits for its reader.
      send: message =>
        new Promise(resolve => {
          if (socket.readyState !== socket.OPEN) return resolve();
          socket.send(message, () => {
            if (socket.isPaused && socket.bufferedAmount < maxBufferedBytes) socket.resume();
            resolve();
          });
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: listener =>
        void socket.on('message', data => {
          if (socket.bufferedAmount > maxBufferedBytes) socket.pause();
          listener(String(data)).catch(error => {
            onError(error);
            socket.close(CloseCode.InternalServerError, 'Internal server error');
          });
        }),
    },
    connection,
  );
  socket.on('pong', () => {
    isAlive = true;
  });
  // The socket closes itself with the code of the error, e.g. 1009 for a message that is too large.
  socket.on('error', () => {});
  socket.once('close', (code, reason) => {
    clearInterval(ping);
    closed(code, String(reason)).catch(onError);
  });
}

function refuse(socket: Duplex, status: string, detail: string): void {
  const body = JSON.stringify({ detail });
  const head = [`HTTP/1.1 ${status}`, 'Connection: close', 'Content-Type: application/json'];
  socket.end(`${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
}
