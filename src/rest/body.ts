import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonSyntaxError } from '../input/json.ts';
import { JsonTooLarge, parseUntrustedJson } from '../input/json-parts.ts';
import type { RequestError } from '../input/validation-errors.ts';
import { type HttpError, unprocessable, unsupportedMediaType } from './errors.ts';

/** Buffers bodies of any media type up to a limit; `readBody` rejects those that are not JSON. */
export function acceptBodies(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, bytes, done) => done(null, bytes));
}

/**
 * The JSON value of the body; undefined without one. A body without Content-Type is read as JSON. Releases the bytes, so that they can
 * be collected while the request is in progress.
 */
export async function readBody(request: FastifyRequest): Promise<unknown> {
  const { body, headers } = request;
  request.body = undefined;
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  if (!isJson(headers['content-type']) || !isIdentity(headers['content-encoding'])) throw unsupportedMediaType();
  return parseBody(body);
}

const jsonType = /^application\/(?:[\w.-]+\+)?json$/i;
const utf8Charset = /^charset="?utf-?8"?$/i;

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const [type = '', ...parameters] = contentType.split(';').map(part => part.trim());
  const charsets = parameters.filter(parameter => /^charset=/i.test(parameter));
  return jsonType.test(type) && charsets.every(charset => utf8Charset.test(charset));
}

const isIdentity = (contentEncoding: string | undefined) =>
  (contentEncoding ?? 'identity').toLowerCase() === 'identity';

const maxNesting = 100;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body. Invalid JSON is 422 at the position where parsing stopped, as in FastAPI. */
export async function parseBody(bytes: Buffer): Promise<unknown> {
  const text = decode(bytes);
  try {
    return await parseUntrustedJson(text, maxNesting);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw invalidJson(error.position, `JSON decode error, ${error.problem}`);
    // At the position that FastAPI reports, which is not V8's.
    throw error instanceof JsonSyntaxError ? invalidJson(error.position, 'JSON decode error') : error;
  }
}

function invalidJson(position: number, msg: string): HttpError {
  const error: RequestError = { loc: ['body', position], msg, type: 'json_invalid' };
  return unprocessable([error]);
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidJson(bytes.toString('utf8').indexOf('\uFFFD'), 'JSON decode error, not UTF-8');
  }
}
