import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, handleProtocols, MessageType, makeServer, type OperationResult, parseMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { retryWhileUnavailable } from '../../database/availability.ts';
import { toUnavailable } from '../../database/errors.ts';
import { RetryableError, Unauthenticated, type Unavailable } from '../../errors.ts';
import { TokenBucket } from '../../scheduling/token-bucket.ts';
import { type FormatErrors, findClientError, type TranslateError } from '../errors.ts';
import type { OpenStream, StreamCaller } from './open-streams.ts';
import { PendingConnections } from './pending-connections.ts';
import { openTimeoutMs, type Results, type StreamResult, type SubscriptionRequest } from './subscribe.ts';

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
  readonly addressOf: (request: IncomingMessage) => string;
  /** Streams that a key may have open. */
  readonly maxStreams: number;
}

const path = '/graphql';
/** A subscription and its variables are small. */
const maxPayload = 256 * 1024;
/** A key is smaller still. Pings and the overhead of frames count as well. */
const maxInitBytes = 16 * 1024;
/** Pings and pongs before `connection_init` is acknowledged, which clients send at once. */
const maxInitControlFrames = 5;
/** Connections that are not initialised: those of thousands of clients that reconnect at once, each for a round trip. */
const pendingLimits = { perAddress: 250, total: 1_000 };
/** For so long such a connection may stay. */
const initTimeoutMs = 3_000;
/** Afterwards: a message for each stream to open and one to close it at once, some more, and a steady rate. */
const messageBucket = (maxStreams: number) => ({ burst: 50 + 2 * maxStreams, perSecond: 20 });
/** Clients send a ping every few seconds, and a pong for each ping of the service. */
const controlFrameBucket = { burst: 50, perSecond: 20 };
/** Parts of one message: more than a network makes of 256 KB, and few enough to be joined. */
const maxParts = 1_024;
/** A client that does not read is not read from, so that responses to its messages do not pile up. */
const maxBufferedBytes = 1024 * 1024;
/** Messages that wait for their turn before no more are read. */
const maxInbox = 8;
/** A client that has not responded to a ping by the next one is gone. */
const pingMs = 12_000;
/** For so long a client may read why its connection is closed. */
const closeMs = 250;
/** RFC 6455, 5.5.1: a control frame has at most 125 bytes, two of them for the code. */
const maxReasonLength = 123;
/** Standard close codes (RFC 6455, 7.4.1, and the registry of IANA): the server goes away, a policy is violated, and so on. */
const normalClosure = 1000;
const goingAway = 1001;
const policyViolation = 1008;
const messageTooBig = 1009;
const tryAgainLater = 1013;
/** The protocol's code for too many initialisations, after HTTP's 429. */
const tooManyRequests = 4429;

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
  const pending = new PendingConnections(pendingLimits);
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
      const connection = new Connection(webSocket, socket, request);
      const remove = pending.add(options.addressOf(request), () =>
        connection.close(tryAgainLater, 'Too many connections are not initialised'),
      );
      connection.onInitialised = remove;
      webSocket.once('close', remove);
      serve(server, connection, { maxStreams: options.maxStreams, onError: error => app.log.error(error) });
    });
  });
  return () => {
    isClosing = true;
    for (const socket of webSockets.clients) socket.close(goingAway, 'The service is shutting down');
  };
}

/** A WebSocket with the state of its client. */
class Connection {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly #raw: Duplex;
  readonly #closed = new AbortController();
  #isInitialised = false;
  /** Messages that wait for their turn. */
  readonly inbox: string[] = [];
  key = '';
  onInitialised: () => void = () => {};

  constructor(socket: WebSocket, raw: Duplex, request: IncomingMessage) {
    this.socket = socket;
    this.#raw = raw;
    this.request = request;
    socket.once('close', () => this.#closed.abort());
    // The socket closes itself with the code of the error, e.g. 1009 for a message that is too large, and then reads on.
    socket.on('error', () => setImmediate(() => this.#stopReading()));
  }

  /** Whether `connection_init` is acknowledged. */
  get isInitialised(): boolean {
    return this.#isInitialised;
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  initialise(): void {
    this.#isInitialised = true;
    this.onInitialised();
  }

  /** Reads on, unless the client does not read itself, or has sent more than is handled yet. */
  readOrPause(): void {
    const isBusy = this.socket.bufferedAmount > maxBufferedBytes || this.inbox.length > maxInbox;
    if (isBusy) this.socket.pause();
    else if (this.socket.isPaused && this.isOpen) this.socket.resume();
  }

  /** Counts the bytes of a client until it is initialised. */
  limitInitBytes(): void {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (this.#isInitialised) this.#raw.off('data', count);
      else if (bytes > maxInitBytes) this.close(messageTooBig, 'connection_init is longer than 16 KB');
    };
    this.#raw.on('data', count);
  }

  /** Sends the reason and reads nothing more: a client that goes on sending costs nothing. */
  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.socket.close(code, reason.slice(0, maxReasonLength));
    this.#stopReading();
  }

  #stopReading(): void {
    this.socket.pause();
    this.#raw.end();
    const terminate = () => {
      // Otherwise `ws` would parse what is buffered.
      this.#raw.read();
      this.socket.terminate();
    };
    setTimeout(terminate, closeMs).unref();
  }
}

type ProtocolServer = ReturnType<typeof createProtocolServer>;

/** What graphql-ws passes from one hook to the next as the context value. */
interface Subscription {
  readonly request: SubscriptionRequest;
  readonly stream: OpenStream;
  readonly connection: Connection;
}

function createProtocolServer(options: WebSocketOptions) {
  const { schema, authenticate, validate, open, subscribe, formatErrors, translateError } = options;
  return makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: initTimeoutMs,
    async onConnect({ connectionParams, extra }) {
      const { socket, request } = extra;
      const key = connectionParams?.['x-api-key'] ?? request.headers['x-api-key'];
      try {
        if (typeof key !== 'string') throw new Unauthenticated('The payload of connection_init has no x-api-key.');
        extra.key = key;
        await authenticate(key, socket, request);
        extra.initialise();
        return true;
      } catch (error) {
        // Any other error closes the connection with a code after which clients give up.
        const clientError = findClientError(error, translateError);
        if (!clientError) throw error;
        extra.close(clientError instanceof RetryableError ? tryAgainLater : CloseCode.Forbidden, clientError.message);
        return false;
      }
    },
    async onSubscribe({ extra }, _id, payload) {
      const { key, socket, signal, request: upgrade } = extra;
      try {
        const caller = await orClose(
          extra,
          retryWhileUnavailable(() => authenticate(key, socket, upgrade), signal, openTimeoutMs),
        );
        const request = validate(payload);
        if ('length' in request) return request;
        const contextValue: Subscription = { request, stream: open(key, caller), connection: extra };
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
async function orClose<T>(connection: Connection, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const unavailable: Unavailable | undefined = toUnavailable(error);
    if (unavailable) connection.close(tryAgainLater, unavailable.message);
    throw error;
  }
}

/** Closes the connection when a stream was interrupted: graphql-ws would send `complete`. */
function closingIfInterrupted(results: Results, connection: Connection): Results {
  const { next } = results;
  return Object.assign(results, {
    async next() {
      const result = await next.call(results);
      if (result.done && result.value === 'interrupted') {
        connection.close(tryAgainLater, 'The stream was interrupted; subscribe again with the last cursor');
      }
      return result;
    },
  });
}

interface ServeOptions {
  readonly maxStreams: number;
  readonly onError: (error: unknown) => void;
}

/** Connects a socket to the protocol. */
function serve(server: ProtocolServer, connection: Connection, { maxStreams, onError }: ServeOptions): void {
  const { socket } = connection;
  connection.limitInitBytes();
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
      close: (code = normalClosure, reason = '') => connection.close(code, reason),
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

/** Responds to pings, closes the connection of a client that sends too many, and ends that of one that responds to none. */
function countControlFrames(connection: Connection): void {
  const { socket } = connection;
  const bucket = new TokenBucket(controlFrameBucket);
  let beforeInit = 0;
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingMs);
  socket.once('close', () => clearInterval(timer));
  const isAllowed = () => {
    // `ws` also reports the frames that came together with the one that was too many.
    if (!connection.isOpen) return false;
    if (connection.isInitialised ? bucket.tryTake() : ++beforeInit <= maxInitControlFrames) return true;
    connection.close(policyViolation, 'Too many control frames');
    return false;
  };
  socket.on('ping', data => {
    if (isAllowed()) socket.pong(data);
  });
  socket.on('pong', () => {
    if (isAllowed()) isAlive = true;
  });
}

/** Handles the messages of a client, one in each turn of the event loop; closes the connection of one that sends too many. */
function receiveMessages(connection: Connection, maxStreams: number, handle: (message: string) => void): void {
  const { inbox } = connection;
  const bucket = new TokenBucket(messageBucket(maxStreams));
  const handleNext = () => {
    const message = inbox.shift();
    if (message === undefined || !connection.isOpen) return;
    if (inbox.length > 0) setImmediate(handleNext);
    connection.readOrPause();
    handle(message);
  };
  connection.socket.on('message', data => {
    if (!connection.isOpen) return;
    const message = String(data);
    if (!connection.isInitialised) {
      if (isOtherThanInit(message)) return connection.close(CloseCode.Unauthorized, 'Unauthorized');
    } else if (!bucket.tryTake()) {
      return connection.close(tooManyRequests, 'Too many requests');
    }
    inbox.push(message);
    connection.readOrPause();
    if (inbox.length === 1) setImmediate(handleNext);
  });
}

/** Whether it is another message of the protocol; the handler of messages reports one that is none. */
function isOtherThanInit(text: string): boolean {
  try {
    return parseMessage(text).type !== MessageType.ConnectionInit;
  } catch {
    return false;
  }
}

function refuse(socket: Duplex, status: string, detail: string): void {
  const body = JSON.stringify({ detail });
  const head = [`HTTP/1.1 ${status}`, 'Connection: close', 'Content-Type: application/json'];
  socket.end(`${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
}
