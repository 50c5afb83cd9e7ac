import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from '../input/json.ts';
import { JsonSyntaxError, readJson } from '../input/json-reader.ts';
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
export function readBody(request: FastifyRequest): unknown {
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

const maxDepth = 100;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body. Invalid JSON is 422 at the position where parsing stopped, as in FastAPI. */
export function parseBody(bytes: Buffer): unknown {
  // Before parsing: 10 MiB of opening brackets would take the parser two seconds.
  const tooDeep = findNestingBeyond(bytes, maxDepth);
  if (tooDeep !== undefined) throw invalidJson(tooDeep, `JSON decode error, nested deeper than ${maxDepth} levels`);
  const text = decode(bytes);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(errorPosition(text), 'JSON decode error');
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

/** The position that FastAPI reports, which is not V8's; V8 does not always report one. */
function errorPosition(text: string): number {
  try {
    readJson(text, Number);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.position;
    throw error;
  }
  throw new Error('The second parser has accepted invalid JSON');
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The position of the first bracket or brace that nests deeper than this. */
function findNestingBeyond(bytes: Buffer, limit: number): number | undefined {
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) index = findStringEnd(bytes, index);
    else if (byte === openBrace || byte === openBracket) {
      depth++;
      if (depth > limit) return index;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return undefined;
}

/** The position of the closing quote; the length of the text for an unterminated string. */
function findStringEnd(bytes: Buffer, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(quote, end + 1);
    if (end < 0) return bytes.length;
    // A quote after an odd number of backslashes is escaped.
  } while (countBackslashesBefore(bytes, end) % 2 === 1);
  return end;
}

function countBackslashesBefore(bytes: Buffer, index: number): number {
  let count = 0;
  while (bytes[index - count - 1] === backslash) count++;
  return count;
}
