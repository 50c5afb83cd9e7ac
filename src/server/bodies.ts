import { Transform } from 'node:stream';
import { JsonTooLarge, parseUntrustedJson } from '@carte/base/json-parts';
import { largeBodyBytes } from '@carte/base/time-slice';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { holdUntilClosed } from './fair-shares.ts';
import { recordOf, replyOf } from './requests.ts';

/** Levels of objects and lists; domains have lower limits for the values that they store. */
const maxNesting = 250;

/** Of a body without a key, which can be nothing but introspection, and of a guest's, which is a query with its variables. */
const limits = {
  anonymous: { bytes: 8 * 1024, who: 'Without an API key' },
  guest: { bytes: 64 * 1024, who: 'With a publishable key' },
};
type BodyLimit = (typeof limits)['guest'];

/**
 * Limits bodies by who sends them, and parses JSON by `parseUntrustedJson` instead of Fastify's parser, which is `JSON.parse`. Keys such as `__proto__` are
 * data like any other. Those of REST routes have a parser of their own.
 */
export const bodies = fp(
  async (app: FastifyInstance) => {
    const { keys } = app.shares;
    app.addHook('preParsing', (request, _reply, payload, done) => {
      const { headers } = request;
      const isChunked = headers['transfer-encoding'] !== undefined;
      const length = Number(headers['content-length'] ?? 0);
      // Before the options of the route, which Fastify creates anew for each use.
      if (!isChunked && length < limits.anonymous.bytes) return done(null, payload);
      if (length > (request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY)) return done(null, payload);
      const limit = limitOf(request);
      if (limit && length > limit.bytes) return done(bodyTooLarge(limit));
      if (!limit && !isChunked && length < largeBodyBytes) return done(null, payload);
      let entered: Promise<unknown> | undefined;
      const check = async (bytes: number) => {
        if (limit && bytes > limit.bytes) throw bodyTooLarge(limit);
        // When so much has arrived: what is only announced takes no slot.
        if (bytes >= largeBodyBytes) entered ??= holdUntilClosed(keys.uploads, shareId(request), replyOf(request).raw);
        await entered;
      };
      done(null, through(payload, check));
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

function limitOf(request: FastifyRequest): BodyLimit | undefined {
  if (!request.caller) return limits.anonymous;
  return recordOf(request).isForGuests ? limits.guest : undefined;
}

function bodyTooLarge({ bytes, who }: BodyLimit): Error {
  return Object.assign(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), {
    message: `${who}, a body has at most ${bytes} bytes.`,
  });
}

/** Rejects a guest's body before it is read, where its length is announced. */
export function assertGuestBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > limits.guest.bytes) throw bodyTooLarge(limits.guest);
}

/**
 * Passes a body on, each chunk after a check of how much has arrived. Not by `pipeline`, which would destroy the connection with the body,
 * before the error is sent.
 */
function through(payload: NodeJS.ReadableStream, check: (bytes: number) => Promise<void>): Transform {
  let bytes = 0;
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      check(bytes).then(() => done(null, chunk), done);
    },
  });
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
