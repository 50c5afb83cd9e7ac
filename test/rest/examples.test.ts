import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp, type TestResponse } from '../support/app.ts';

const perMinute = 60;
const app = await startApp({ bodyLimit: 20_000, rateLimit: perMinute });
const key = { 'x-api-key': await loadDemo(app.orm, new Date('2026-03-14T19:20:00Z')) };
const document = (await app.get('/openapi.json')).body;

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: object } } };
  readonly responses: { readonly 200: { readonly links?: Readonly<Record<string, Link>> } };
}

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const operations = Object.entries<Record<string, Described>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ method, path, ...described })),
);

/** Sends a request with values for the path, by default those of the examples, and short lists. */
async function call(operationId: string, values: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
  const found = operations.find(operation => operation.operationId === operationId);
  if (!found) throw new Error(`There is no operation ${operationId}`);
  const { method, path, parameters, requestBody } = found;
  const isPost = method === 'post';
  const fill = (_: string, name: string) =>
    values[name] ?? parameters.find(parameter => parameter.name === name)?.example ?? (isPost ? 'lisbon-baixa' : '');
  const url = path.replace(/\{(\w+)\}/g, fill);
  if (isPost) return app.post(url, requestBody?.content['application/json'].example, key);
  return app.get(`${url}${{ listStores: '?limit=2', listOrders: '?page_size=2' }[operationId] ?? ''}`, key);
}

/** The post comes first, so that the menus of the examples are what it has posted. */
async function recordResponses() {
  const names = operations.map(({ operationId }) => operationId);
  const responses: Record<string, TestResponse['body']> = {};
  const newest = (await call('listOrders')).body.order_result_list[0].id;
  for (const name of names.toSorted((a, b) => Number(b.startsWith('create')) - Number(a.startsWith('create')))) {
    const { status, body } = await call(name, { order_service_id: newest });
    expect([name, status]).toEqual([name, 200]);
    responses[name] = body;
  }
  return Object.fromEntries(names.map(name => [name, responses[name]]));
}

async function recordErrors(): Promise<Record<string, unknown>> {
  const path = '/v1/stores/lisbon-baixa/menu_configuration/';
  const item = { external_id: 'bica', name: { translations: { en: 'Bica' } }, tax: 13, sell_separately: true };
  const faulty = { items: [{ ...item, price: '1.10', modifier_external_ids: ['cup'] }] };
  const reader = await app.newKey({ permissions: [] });
  let limited = await app.get('/v1/merchants/', { 'x-api-key': reader });
  for (let count = 1; count <= perMinute && limited.status === 200; count += 1) {
    limited = await app.get('/v1/merchants/', { 'x-api-key': reader });
  }
  const errors = [
    await app.get('/v1/stores/', { 'x-api-key': '' }),
    await app.post(path, { items: [] }, { 'x-api-key': await app.newKey({ permissions: [] }) }),
    await app.get('/v1/stores/lisbon', key),
    await app.post(path, { items: [] }, { ...key, 'if-match': '"another"' }),
    await app.post(path, { items: [], padding: 'x'.repeat(20_000) }, key),
    await app.post(path, 'items', { ...key, 'content-type': 'text/plain' }),
    await app.post(path, faulty, key),
    limited,
  ];
  return Object.fromEntries(errors.map(({ status, body }) => [status, body]));
}

test('the examples of the OpenAPI document are what the service responds with the demo data', async () => {
  const recorded = { responses: await recordResponses(), errors: await recordErrors() };
  expect(document.paths['/v1/orders/{order_service_id}'].get.parameters[0].example).toBe(
    recorded.responses.getOrder.id,
  );
  expect(Object.keys(recorded.errors)).toEqual(['401', '403', '404', '412', '413', '415', '422', '429']);
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot('../../schema/rest/examples.json');
});

test('every 200, and every error but 503, has an example that is valid', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const shared = Object.entries<object>(document.components.responses);
  const contents = [
    ...operations.map(({ operationId, responses }) => [operationId, responses[200]] as const),
    ...shared.filter(([name]) => name !== 'NotModified' && name !== 'Unavailable'),
  ];
  for (const [name, response] of contents) {
    const { schema, example } = (response as Content).content['application/json'];
    expect([name, example]).not.toEqual([name, undefined]);
    const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
    expect([name, ajv.validate(resolved, example), ajv.errorsText()]).toEqual([name, true, 'No errors']);
  }
});

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: object; readonly example?: unknown } };
}

test('every link leads to a resource', async () => {
  let count = 0;
  for (const { operationId, responses } of operations) {
    const { body } = await call(operationId);
    for (const link of Object.values(responses[200].links ?? {})) {
      const values = Object.entries(link.parameters).map(([name, expression]) => {
        const pointer = /^\$response\.body#\/(.*)/.exec(expression)?.[1];
        // biome-ignore lint/suspicious/noExplicitAny: a walk through JSON
        const value = pointer?.split('/').reduce((at: any, step) => at[step], body) ?? 'lisbon-baixa';
        return [name, value] as const;
      });
      expect((await call(link.operationId, Object.fromEntries(values))).status).toBe(200);
      count += 1;
    }
  }
  expect(count).toBe(12);
});
