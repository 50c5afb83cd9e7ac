import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { describeSet } from '../../src/rest/openapi.ts';
import { version } from '../../src/version.ts';
import { deviations } from '../support/closed.ts';
import { buildGraph } from '../support/graph.ts';
import { documentedEnums, routes, types } from '../support/interface.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
const document: any = JSON.parse(JSON.stringify(describeSet(loadContract(buildGraph()))));
const { schemas } = document.components;

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** A schema in the notation of the documented interface. */
function wordOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.type === 'array') return `list-of-${wordOf(schema.items ?? {})}`;
  if (schema.type === 'object') {
    return typeof schema.additionalProperties === 'object' ? `map-of-${wordOf(schema.additionalProperties)}` : 'map';
  }
  if (schema.format === 'date-time') return 'datetime';
  return schema.type === 'number' ? 'double' : String(schema.type);
}

const operationOf = (method: string, path: string) => document.paths[path]?.[method.toLowerCase()];

test('the linter finds nothing in the OpenAPI document', async () => {
  // Trailing slashes are part of the documented paths.
  const rules = { 'no-path-trailing-slash': 'off' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
  expect(found).toEqual([]);
});

describe('the OpenAPI document', () => {
  test.each([...types])('%s is described as documented', (name, fields) => {
    const { properties, required = [] } = schemas[name];
    const described = Object.entries<Schema>(properties).map(([field, schema]) => ({
      name: field,
      type: wordOf(schema),
      required: required.includes(field),
    }));
    expect(described).toEqual(fields);
  });

  test.each(Object.entries(documentedEnums))('%s has the documented values', (name, values) => {
    expect(schemas[name]).toMatchObject({ type: 'string', enum: values });
  });

  test('has only the documented schemas and those of errors', () => {
    const known = [
      ...types.keys(),
      ...Object.keys(documentedEnums),
      'ValidationError',
      'HTTPValidationError',
      'HTTPError',
    ];
    expect(Object.keys(schemas).sort()).toEqual(known.sort());
  });

  test.each(routes)('$method $path is described as documented', ({ method, path, operation, parameters, body }) => {
    const described = operationOf(method, path);
    expect(described.operationId).toBe(operation);
    const declared = described.parameters
      .filter((parameter: { in: string }) => parameter.in !== 'header')
      .map((parameter: { in: string; name: string; schema: Schema }) =>
        [parameter.in, parameter.name, wordOf(parameter.schema)].join(' '),
      );
    expect(declared).toEqual(parameters);
    expect(wordOf(described.responses[200].content['application/json'].schema)).toBe(body);
  });

  test('says in the title of the POST that it replaces, and has the version of Carte', () => {
    const post = operationOf('POST', '/v1/stores/{store_service_id}/menu_configuration/');
    expect(post.summary).toBe('Create menu configuration (replaces all)');
    expect(document.info.version).toBe(version);
  });

  test('has only the nine routes', () => {
    const all = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    );
    expect(all.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('lists the responses of each route', () => {
    const statuses = (method: string, path: string) => Object.keys(operationOf(method, path).responses).map(Number);
    expect(statuses('POST', '/v1/stores/{store_service_id}/menu_configuration/')).toEqual([
      200, 401, 403, 404, 412, 413, 415, 422, 429, 503,
    ]);
    expect(statuses('GET', '/v1/orders/{order_service_id}')).toEqual([200, 304, 401, 404, 422, 429, 503]);
    expect(statuses('GET', '/v1/stores/')).toEqual([200, 304, 401, 422, 429, 503]);
  });

  test('has the bounds and defaults of parameters', () => {
    const { parameters } = operationOf('GET', '/v1/stores/{store_service_id}/orders/');
    const schemaOf = (name: string) => parameters.find((parameter: { name: string }) => parameter.name === name).schema;
    const largest = Number.MAX_SAFE_INTEGER;
    expect(schemaOf('page_index')).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: largest,
      default: 0,
    });
    expect(schemaOf('page_size')).toEqual({ type: 'integer', format: 'int32', minimum: 1, maximum: 500, default: 50 });
    const [skip, limit] = operationOf('GET', '/v1/merchants/').parameters;
    expect(skip.schema).toMatchObject({ minimum: 0, default: 0 });
    expect(limit.schema).toMatchObject({ minimum: 0, maximum: 1000, default: 100 });
  });

  test('declares status as a comma-separated list', () => {
    const { parameters } = operationOf('GET', '/v1/stores/{store_service_id}/orders/');
    expect(parameters.find((parameter: { name: string }) => parameter.name === 'status')).toMatchObject({
      style: 'form',
      explode: false,
    });
  });

  test('has a valid example of a request body', () => {
    const { requestBody } = operationOf('POST', '/v1/stores/{store_service_id}/menu_configuration/');
    const { example } = requestBody.content['application/json'];
    expect(deviations(example, 'CreateMenuConfigurationRequest')).toEqual([]);
  });

  test('declares the header of the API key and the conditional headers', () => {
    expect(document.security).toEqual([{ ApiKey: [] }]);
    expect(document.components.securitySchemes.ApiKey).toEqual({ type: 'apiKey', in: 'header', name: 'x-api-key' });
    const headers = (method: string) =>
      operationOf(method, '/v1/stores/{store_service_id}/menu_configuration/')
        .parameters.filter((parameter: { in: string }) => parameter.in === 'header')
        .map((parameter: { name: string }) => parameter.name);
    expect(headers('GET')).toEqual(['If-None-Match']);
    expect(headers('POST')).toEqual(['If-Match']);
  });

  test('every reference resolves, and every tag is described', () => {
    const text = JSON.stringify(document);
    for (const [, group = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(document.components[group]).toHaveProperty(name);
    }
    const described = document.tags.map((tag: { name: string }) => tag.name);
    for (const { method, path } of routes)
      expect(described).toEqual(expect.arrayContaining(operationOf(method, path).tags));
  });

  test('describes fields as absent, not as null', () => {
    const { info, ...rest } = document;
    expect(info.description).toContain('`null` means the same');
    const withoutExamples = JSON.stringify(rest, (name, value) => (name === 'example' ? undefined : value));
    expect(withoutExamples).not.toMatch(/null/i);
  });
});
