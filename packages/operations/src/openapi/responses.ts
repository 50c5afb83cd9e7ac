import { isNonNullType, Kind, visit } from 'graphql';
import { type Contract, type Operation, rootFieldOf } from '../contract/contract.ts';
import type { Link } from '../contract/directives.ts';
import { ifMatchHeader, type Parameter } from '../contract/parameters.ts';
import type { SofaRoute } from '../sofa.ts';
import { type Json, objectSchema, reference } from './schemas.ts';

export const errorSchemas: Json = {
  ValidationError: objectSchema({
    description: 'A validation error.',
    required: ['loc', 'msg', 'type'],
    properties: [
      [
        'loc',
        {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          description: 'The location: `path`, `query`, `header` or `body`, then names and indexes down to the value.',
          examples: [['body', 'items', 0, 'price']],
        },
      ],
      ['msg', { type: 'string', examples: ['Input should be a valid integer'] }],
      ['type', { type: 'string', description: 'The rule that is violated.', examples: ['int_type'] }],
    ],
  }),
  HTTPValidationError: objectSchema({
    required: [],
    properties: [['detail', { type: 'array', maxItems: 1000, items: reference('ValidationError') }]],
  }),
  HTTPError: objectSchema({
    required: ['detail'],
    properties: [['detail', { type: 'string', examples: ['The database does not answer at the moment.'] }]],
  }),
};

const json = (schema: object, example: unknown): Json => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});
const retryAfter: Json = {
  headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
};

const etag: Json = {
  headers: { ETag: { description: 'The strong entity tag of the body.', schema: { type: 'string' } } },
};

/** The responses that several routes share. */
function allResponses(examples: Json, hasApiKeys: boolean): Json {
  const error = (status: number, description: string, more: Json = {}): Json => ({
    description,
    content: json(reference('HTTPError'), examples[status]),
    ...more,
  });
  return {
    NotModified: { description: 'The ETag in If-None-Match is current.', ...etag },
    Unauthenticated: error(401, 'The API key is missing, unknown, expired or revoked.', {
      headers: { 'WWW-Authenticate': { schema: { type: 'string', const: 'ApiKey' } } },
    }),
    Forbidden: error(403, 'The API key does not have the permission that the operation requires.'),
    NotFound: error(
      404,
      `Nothing with this identifier ${hasApiKeys ? 'is in the scope of the API key' : 'was found'}.`,
    ),
    Conflict: error(409, 'The resource is not in the state that the request expects.'),
    Gone: error(410, 'What follows the cursor is no longer kept; begin without one.'),
    PreconditionFailed: error(412, 'The resource has changed since the ETag in If-Match was issued.'),
    TooLarge: error(413, 'The body is larger than the service accepts.'),
    UnsupportedType: error(415, 'The body is not JSON in UTF-8.'),
    ValidationError: {
      description: 'The request has validation errors: a wrong shape, or references that do not resolve.',
      content: json(reference('HTTPValidationError'), examples[422]),
    },
    TooManyRequests: error(429, `The ${hasApiKeys ? 'API key' : 'caller'} has exceeded its rate limit.`, retryAfter),
    Unavailable: error(503, 'The service is overloaded, or its database is unavailable.', retryAfter),
  };
}

/** The shared responses that these paths refer to. */
export function sharedResponses(paths: Json, errorExamples: Json = {}, hasApiKeys = false): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(allResponses(errorExamples, hasApiKeys)).filter(([name]) =>
      text.includes(`"#/components/responses/${name}"`),
    ),
  );
}

const shared = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

function describeLink({ operation, parameter, value }: Link): [string, Json] {
  return [operation, { operationId: operation, parameters: { [parameter]: value } }];
}

/** Whether a variable is a cursor, whose place in a list may have been deleted since. */
function takesCursor({ document }: Operation): boolean {
  let takes = false;
  visit(document, {
    Argument({ name, value }) {
      takes ||= name.value === 'after' && value.kind === Kind.VARIABLE;
    },
  });
  return takes;
}

/** The responses of a route; `isSecured` where callers have to be known. */
export function responsesOf({ operation, bodySchema }: SofaRoute, contract: Contract, isSecured: boolean): Json {
  const { type } = rootFieldOf(contract, operation);
  const isRead = operation.route.method === 'GET';
  const hasIfMatch = operation.parameters.some(({ header }) => header === ifMatchHeader);
  const has = (location: Parameter['in']) => operation.parameters.some(parameter => parameter.in === location);
  return {
    200: {
      description: 'Success.',
      ...((isRead || operation.etagPaths.length > 0) && etag),
      content: json(bodySchema, contract.examples[operation.name]),
      ...(operation.route.links.length > 0 && { links: Object.fromEntries(operation.route.links.map(describeLink)) }),
    },
    ...(isRead && { 304: shared('NotModified') }),
    ...(isSecured && { 401: shared('Unauthenticated') }),
    ...(isSecured &&
      (operation.kind === 'mutation' || contract.info?.documentsForbidden !== false) && { 403: shared('Forbidden') }),
    ...(!isNonNullType(type) && { 404: shared('NotFound') }),
    ...(operation.kind === 'mutation' && !hasIfMatch && { 409: shared('Conflict') }),
    ...(takesCursor(operation) && { 410: shared('Gone') }),
    ...(hasIfMatch && { 412: shared('PreconditionFailed') }),
    ...(has('body') && { 413: shared('TooLarge'), 415: shared('UnsupportedType') }),
    422: shared('ValidationError'),
    429: shared('TooManyRequests'),
    503: shared('Unavailable'),
  };
}
