import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const textFrame = 0x81;
const pingFrame = 0x89;
const closeOpcode = 8;

/** A frame of a client, with a mask of zeros. */
function frame(type: number, payload: string): Buffer {
  const body = Buffer.from(payload);
  const size = body.length;
  const length =
    size < 126
      ? [0x80 | size]
      : size < 65_536
        ? [0x80 | 126, size >> 8, size & 0xff]
        : [0x80 | 127, 0, 0, 0, 0, size >> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff];
  return Buffer.concat([Buffer.from([type, ...length, 0, 0, 0, 0]), body]);
}

/** The same frame many times, for one write. */
export function repeatFrame(type: 'ping' | 'message', payload: string, count: number): Buffer {
  const one = frame(type === 'ping' ? pingFrame : textFrame, payload);
  return Buffer.concat(Array.from({ length: count }, () => one));
}

export const messageFrames = (messages: readonly object[]) =>
  Buffer.concat(messages.map(message => frame(textFrame, JSON.stringify(message))));

interface Opened {
  readonly socket: Socket;
  /** The close code of the connection so far, and the number of frames received. */
  readonly received: { frames: number; closeCode: number | undefined; isClosed: boolean };
  /** Resolves when the condition holds, the connection is closed, or the time is over. */
  until(holds: () => boolean, limitMs: number): Promise<void>;
}

/** Opens a WebSocket without a library, whose client would take longer than the service; returns the status if it is refused. */
async function openSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Opened | number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const received: Opened['received'] = { frames: 0, closeCode: undefined, isClosed: false };
  let status: number | undefined;
  let buffered: Buffer = Buffer.alloc(0);
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  socket.on('data', chunk => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    if (status === undefined) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(buffered.toString('latin1', 9, 12));
      buffered = buffered.subarray(end + 4);
    }
    if (status === 101) buffered = readFrames(buffered, received);
    change();
  });
  const end = () => {
    received.isClosed = true;
    change();
  };
  socket.on('error', end).on('close', end);
  socket.write(
    [
      'GET /graphql HTTP/1.1',
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '\r\n',
    ].join('\r\n'),
  );
  const until: Opened['until'] = async (holds, limitMs) => {
    const limit = Promise.withResolvers<void>();
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      limit.resolve();
    }, limitMs);
    while (!holds() && !received.isClosed && !isOver) await Promise.race([changed.promise, limit.promise]);
    clearTimeout(timer);
  };
  await until(() => status !== undefined, 60_000);
  if (status === 101) return { socket, received, until };
  socket.destroy();
  return status ?? 0;
}

/** Counts the whole frames in a buffer and returns the rest of it. */
function readFrames(buffer: Buffer, received: Opened['received']): Buffer {
  let at = 0;
  for (;;) {
    const short = (buffer[at + 1] ?? 0) & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (buffer.length < at + head) return buffer.subarray(at);
    const length =
      short === 126 ? buffer.readUInt16BE(at + 2) : short === 127 ? Number(buffer.readBigUInt64BE(at + 2)) : short;
    if (buffer.length < at + head + length) return buffer.subarray(at);
    received.frames += 1;
    const opcode = (buffer[at] ?? 0) & 0x0f;
    if (opcode === closeOpcode && length >= 2) received.closeCode = buffer.readUInt16BE(at + head);
    at += head + length;
  }
}

export interface SocketFlood {
  /** The key in `connection_init`; without it the connection is not initialized. */
  readonly key?: string | undefined;
  readonly frames: Buffer;
  /** Number of frames that the service sends back if it handles all of them. */
  readonly replies: number;
  readonly limitMs: number;
}

/** Opens a WebSocket, sends frames in one write, and waits until the service has replied to all of them or closed it. */
export async function floodSocket(url: string, { key, frames, replies, limitMs }: SocketFlood): Promise<string> {
  const opened = await openSocket(url);
  if (typeof opened === 'number') return opened === 0 ? 'closed' : String(opened);
  const { socket, received, until } = opened;
  try {
    if (key !== undefined) {
      socket.write(frame(textFrame, JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': key } })));
      await until(() => received.frames > 0, limitMs);
      received.frames = 0;
    }
    socket.write(frames);
    await until(() => received.frames >= replies || received.closeCode !== undefined, limitMs);
    if (received.closeCode !== undefined) return `close ${received.closeCode}`;
    if (received.isClosed) return 'closed';
    return received.frames >= replies ? 'all replied' : 'timeout';
  } finally {
    socket.destroy();
  }
}

/** Keeps a WebSocket open without a word for so long; returns how it ended. */
export async function holdSocket(url: string, limitMs: number): Promise<string> {
  const opened = await openSocket(url);
  if (typeof opened === 'number') return opened === 0 ? 'closed' : String(opened);
  await opened.until(() => opened.received.closeCode !== undefined, limitMs);
  opened.socket.destroy();
  const { closeCode, isClosed } = opened.received;
  return closeCode !== undefined ? `close ${closeCode}` : isClosed ? 'closed' : 'held';
}
