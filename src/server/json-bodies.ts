import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { JsonTooLarge, parseUntrustedJson } from '../input/json-parts.ts';
import { largeBodyBytes } from '../scheduling/time-slice.ts';

/** Levels of objects and lists; domains have lower limits for the values that they store. */
const maxNesting = 250;

/**
 * Parses JSON bodies instead of Fastify's parser, which is `JSON.parse` (src/input/json.ts). Keys such as `__proto__` are data like any other. Those of
 * REST routes have a parser of their own.
 */
export const jsonBodies = fp(
  async (app: FastifyInstance) => {
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, bytes: Buffer) => {
        if (bytes.length === 0) throw new errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY();
        const parse = () => parseBytes(bytes);
        const { expensive } = app.shares;
        return bytes.length < largeBodyBytes ? parse() : expensive.run(request.caller?.keyId ?? '', parse);
      },
    );
  },
  { name: 'json-bodies', dependencies: ['fair-shares', 'authentication'] },
);

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
