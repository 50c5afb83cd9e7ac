import { isNonNullType } from 'graphql';
import { type Contract, type Operation, rootFieldOf } from '../contract/contract.ts';
import { type Json, objectSchema, reference } from './schemas.ts';

/** The bodies of errors. */
export const errorSchemas: Json = {
  ValidationError: objectSchema({
    description: 'One thing that is wrong with the request.',
    required: ['loc', 'msg', 'type'],
    properties: [
      [
        'loc',
        {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          description: 'Where: `path`, `query`, `header` or `body`, then names and indexes down to the value.',
          examples: [['body', 'items', 0, 'price']],
        },
      ],
      ['msg', { type: 'string', examples: ['Input should be a valid integer'] }],
      ['type', { type: 'string', description: 'The rule that is broken.', examples: ['int_type'] }],
    ],
  }),
  HTTPValidationError: objectSchema({
    required: [],
    properties: [['detail', { type: 'array', maxItems: 1000, items: reference('ValidationError') }]],
  }),
  HTTPError: objectSchema({ required: ['detail'], properties: [['detail', { type: 'string' }]] }),
};

const json = (schema: object): Json => ({ 'application/json': { schema } });
const refusal = (description: string, more: Json = {}): Json => ({
  description,
  content: json(reference('HTTPError')),
  ...more,
});
const retryAfter: Json = {
  headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
};

const etag: Json = {
  headers: { ETag: { description: 'A strong tag of the body.', schema: { type: 'string' } } },
};

/** Every answer that is the same for all routes that give it. */
export const sharedResponses: Json = {
  NotModified: { description: 'The body still has a tag that If-None-Match names.', ...etag },
  Unauthenticated: refusal('The API key is missing, unknown, expired or revoked.', {
    headers: { 'WWW-Authenticate': { schema: { type: 'string', const: 'ApiKey' } } },
  }),
  Forbidden: refusal('The API key may only read.'),
  NotFound: refusal('There is nothing of this identifier in the scope of the key.'),
  PreconditionFailed: refusal('The resource has changed since the tag in If-Match was given.'),
  TooLarge: refusal('The body is larger than the service accepts.'),
  UnsupportedType: refusal('The body is not JSON in UTF-8.'),
  ValidationError: {
    description: 'The request does not have the declared shape, or refers to what is not there.',
    content: json(reference('HTTPValidationError')),
  },
  TooManyRequests: refusal('The API key has used up its requests for now.', retryAfter),
  Unavailable: refusal('The service cannot reach its database for the moment.', retryAfter),
};

const shared = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

interface ResponseOptions {
  readonly contract: Contract;
  /** Of a 200. */
  readonly bodySchema: object;
}

export function responsesOf(operation: Operation, { contract, bodySchema }: ResponseOptions): Json {
  const { type } = rootFieldOf(contract, operation);
  const isRead = operation.route.method === 'GET';
  const has = (place: string) => operation.parameters.some(parameter => parameter.in === place);
  return {
    200: {
      description: 'Success.',
      ...((isRead || operation.etagPaths.length > 0) && etag),
      content: json(bodySchema),
    },
    ...(isRead && { 304: shared('NotModified') }),
    401: shared('Unauthenticated'),
    ...(operation.kind === 'mutation' && { 403: shared('Forbidden') }),
    ...(!isNonNullType(type) && { 404: shared('NotFound') }),
    ...(has('header') && { 412: shared('PreconditionFailed') }),
    ...(has('body') && { 413: shared('TooLarge'), 415: shared('UnsupportedType') }),
    422: shared('ValidationError'),
    429: shared('TooManyRequests'),
    503: shared('Unavailable'),
  };
}
