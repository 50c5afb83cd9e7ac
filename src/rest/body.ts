import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedType } from './errors.ts';
import { parseBody } from './json.ts';

/** Takes bodies of any type as bytes, up to a limit: which of them are read is decided where they are needed. */
export function acceptBodies(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, bytes, done) => done(null, bytes));
}

/**
 * The JSON value of the body; undefined without one. A body without Content-Type is read as JSON. Its bytes are let go: a
 * request can last, and they are needed no more.
 */
export function readBody(request: FastifyRequest): unknown {
  const { body, headers } = request;
  request.body = undefined;
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  if (!isJson(headers['content-type']) || !isPlain(headers['content-encoding'])) throw unsupportedType();
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

const isPlain = (contentEncoding: string | undefined) => (contentEncoding ?? 'identity').toLowerCase() === 'identity';
