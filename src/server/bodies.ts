import { Transform } from 'node:stream';
import { JsonTooLarge, parseUntrustedJson } from '@carte/base/json-parts';
import { largeBodyBytes } from '@carte/base/time-slice';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { holdUntilClosed } from './fair-shares.ts';
import { recordOf, replyOf } from './requests.ts';

/** Levels of objects and lists; domains have lower limits for the values that they store. */
const maxNesting = 250;

/** Bytes of a body without a key, which can be nothing but introspection, and of a guest's, which is a query with its variables. */
const maxBytes = { anonymous: 8 * 1024, guest: 64 * 1024 };

/**
 * Limits bodies by who sends them, and parses JSON instead of Fastify's parser, which is `JSON.parse` (packages/base/src/json.ts). Keys such as `__proto__` are
 * data like any other. Those of REST routes have a parser of their own.
 */
export const bodies = fp(
  async (app: FastifyInstance) => {
    const { keys } = app.shares;
    app.addHook('preParsing', (request, _reply, payload, done) => {
      const { headers } = request;
      const isChunked = headers['transfer-encoding'] !== undefined;
      const length = Number(headers['content-length'] ?? 0);
      const isRejected = length > (request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
      if (isRejected || (!isChunked && length < maxBytes.anonymous)) return done(null, payload);
      const limit = limitOf(request);
      if (limit)
        return length > limit.bytes ? done(bodyTooLarge(limit)) : done(null, through(payload, limitBody(limit)));
      if (!isChunked && length < largeBodyBytes) return done(null, payload);
      const enter = () => holdUntilClosed(keys.uploads, shareId(request), replyOf(request).raw);
      done(null, through(payload, holdWhenLarge(enter)));
    });
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, bytes: Buffer) => {
        if (bytes.length === 0) throw new errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY();
        const parse = () => parseBytes(bytes);
        return bytes.length < largeBodyBytes ? parse() : keys.expensive.run(shareId(request), parse);
      },
    );
  },
  { name: 'bodies', dependencies: ['fair-shares', 'authentication'] },
);

const shareId = (request: FastifyRequest): string => recordOf(request).share?.id ?? '';

interface BodyLimit {
  readonly bytes: number;
  readonly who: string;
}

function limitOf(request: FastifyRequest): BodyLimit | undefined {
  if (!request.caller) return { bytes: maxBytes.anonymous, who: 'Without an API key' };
  return recordOf(request).isForGuests ? { bytes: maxBytes.guest, who: 'With a publishable key' } : undefined;
}

function bodyTooLarge({ bytes, who }: BodyLimit): Error {
  return Object.assign(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), {
    message: `${who}, a body has at most ${bytes} bytes.`,
  });
}

/** Rejects a guest's body before it is read, where its length is announced. */
export function assertGuestBody({ headers }: FastifyRequest): void {
  const limit = { bytes: maxBytes.guest, who: 'With a publishable key' };
  if (Number(headers['content-length'] ?? 0) > limit.bytes) throw bodyTooLarge(limit);
}

function limitBody(limit: BodyLimit): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= limit.bytes) done(null, chunk);
      else done(bodyTooLarge(limit));
    },
  });
}

/** Takes a slot when so much of a body has arrived, and waits for it: what is only announced takes none. */
function holdWhenLarge(enter: () => Promise<unknown>): Transform {
  let bytes = 0;
  let isIn = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (isIn || bytes < largeBodyBytes) return done(null, chunk);
      isIn = true;
      enter().then(() => done(null, chunk), done);
    },
  });
}

/** Not by `pipeline`, which would destroy the connection with the body, before the error is sent. */
function through(payload: NodeJS.ReadableStream, transform: Transform): Transform {
  payload.once('error', (error: Error) => transform.destroy(error));
  // Fastify does not read a body whose type it rejects, and an error that nobody listens to ends the process.
  return payload.pipe(transform.on('error', () => {}));
}

async function parseBytes(bytes: Buffer): Promise<unknown> {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return await parseUntrustedJson(text, maxNesting);
  } catch (error) {
    const invalid = new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY();
    if (!(error instanceof JsonTooLarge)) throw invalid;
    const message = `The body is ${error.problem}, at position ${error.position}.`;
    throw Object.assign(invalid, { message });
  }
}
