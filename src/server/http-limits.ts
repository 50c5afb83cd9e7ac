import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { answerUnknownMethod, writeResponse } from './protocol.ts';

export type HttpLimits = Pick<Config['http'], 'receiveSeconds' | 'keepAliveSeconds'>;

const maxHeaderSize = 16 * 1024;
const checkEvery = 500;
/** Longer than any statement may take: only someone who does not read the answer is silent for so long. */
const silence = 120_000;

/** How long a caller may take over a request, and what is said to one who takes longer or speaks no HTTP. */
export function httpLimits({ receiveSeconds, keepAliveSeconds }: HttpLimits) {
  const requestTimeout = receiveSeconds * 1_000;
  return {
    requestTimeout,
    keepAliveTimeout: keepAliveSeconds * 1_000,
    connectionTimeout: silence,
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: checkEvery,
      maxHeaderSize,
      // Checked in http/protocol.ts, with a body that says so.
      requireHostHeader: false,
    },
    clientErrorHandler: refuseConnection as (error: ConnectionError, socket: Socket) => void,
  } satisfies FastifyHttpOptions<Server>;
}

const refusals: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than this service accepts.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    '413 Content Too Large',
    'The chunk extensions are larger than this service accepts.',
  ],
  HPE_INVALID_URL: ['400 Bad Request', 'The URL has a character that must be percent-encoded, in UTF-8.'],
};

/** Fastify calls it on the instance. */
function refuseConnection(this: FastifyInstance, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const received: unknown = error.rawPacket;
  if (Buffer.isBuffer(received) && error.code === 'HPE_INVALID_METHOD' && answerUnknownMethod(this, received, socket))
    return;
  const [status, detail] = refusals[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP.'];
  writeResponse(socket, status, { detail });
}
