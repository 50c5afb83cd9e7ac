import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CloseCode, MessageType, parseMessage } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { TokenBucket } from '../../scheduling/token-bucket.ts';

/** A key is smaller still. Pings and the overhead of frames count as well. */
const maxInitBytes = 16 * 1024;
/** Pings and pongs before `connection_init` is acknowledged, which clients send at once. */
const maxInitControlFrames = 5;
/** Afterwards: a message for each stream to open and one to close it at once, some more, and a steady rate. */
const messageBucket = (maxStreams: number) => ({ burst: 50 + 2 * maxStreams, perSecond: 20 });
/** Clients send a ping every few seconds, and a pong for each ping of the service. */
const controlFrameBucket = { burst: 50, perSecond: 20 };
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
/** Standard close codes (RFC 6455, 7.4.1, and the registry of IANA), and that of the protocol for too many initialisations, after HTTP's 429. */
export const closeCodes = {
  normalClosure: 1000,
  goingAway: 1001,
  policyViolation: 1008,
  messageTooBig: 1009,
  tryAgainLater: 1013,
  tooManyRequests: 4429,
} as const;

export type WebSocketConnection = ReturnType<typeof createConnection>;

/** A WebSocket with the state of its client. */
export function createConnection(socket: WebSocket, raw: Duplex, request: IncomingMessage) {
  const closed = new AbortController();
  /** Messages that wait for their turn. */
  const inbox: string[] = [];

  const stopReading = () => {
    socket.pause();
    raw.end();
    const terminate = () => {
      // Otherwise `ws` would parse what is buffered.
      raw.read();
      socket.terminate();
    };
    setTimeout(terminate, closeMs).unref();
  };

  const connection = {
    socket,
    request,
    inbox,
    /** Aborted when the connection is closed. */
    signal: closed.signal,
    /** Whether `connection_init` is acknowledged. */
    isInitialised: false,
    key: '',
    onInitialised: () => {},
    get isOpen(): boolean {
      return socket.readyState === socket.OPEN;
    },
    initialise(): void {
      this.isInitialised = true;
      this.onInitialised();
    },
    /** Reads on, unless the client does not read itself, or has sent more than is handled yet. */
    readOrPause(): void {
      const isBusy = socket.bufferedAmount > maxBufferedBytes || inbox.length > maxInbox;
      if (isBusy) socket.pause();
      else if (socket.isPaused && this.isOpen) socket.resume();
    },
    /** Sends the reason and reads nothing more: a client that goes on sending costs nothing. */
    close(code: number, reason: string): void {
      if (!this.isOpen) return;
      socket.close(code, reason.slice(0, maxReasonLength));
      stopReading();
    },
  };
  /** Counts the bytes of a client until it is initialised. */
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (connection.isInitialised) raw.off('data', count);
    else if (bytes > maxInitBytes) connection.close(closeCodes.messageTooBig, 'connection_init is longer than 16 KB');
  };
  socket.once('close', () => closed.abort());
  // The socket closes itself with the code of the error, e.g. 1009 for a message that is too large, and then reads on.
  socket.on('error', () => setImmediate(stopReading));
  raw.on('data', count);
  return connection;
}

/** Responds to pings, closes the connection of a client that sends too many, and ends that of one that responds to none. */
export function countControlFrames(connection: WebSocketConnection): void {
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
    connection.close(closeCodes.policyViolation, 'Too many control frames');
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
export function receiveMessages(
  connection: WebSocketConnection,
  maxStreams: number,
  handle: (message: string) => void,
): void {
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
      return connection.close(closeCodes.tooManyRequests, 'Too many requests');
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

/** Connections that are not initialised: those of thousands of clients that reconnect at once, each for a round trip. */
const pendingLimits = { perAddress: 250, total: 1_000 };

/**
 * The connections that have not been initialised. Beyond a limit, the oldest one gives way to the newest: clients initialise theirs at once, so
 * those that hold many open hinder nobody, also where all clients seem to come from the address of one proxy.
 */
export function createPendingConnections() {
  /** Addresses by the functions that close their connections, the oldest first. */
  const pending = new Map<() => void, string>();
  /** Adds a connection; returns the function to call when it is initialised or closed. */
  return (address: string, close: () => void): (() => void) => {
    const all = [...pending.keys()];
    const same = all.filter(other => pending.get(other) === address);
    const isFull = all.length >= pendingLimits.total;
    const [closeOldest] = same.length >= pendingLimits.perAddress ? same : isFull ? all : [];
    if (closeOldest) {
      pending.delete(closeOldest);
      closeOldest();
    }
    pending.set(close, address);
    return () => pending.delete(close);
  };
}
