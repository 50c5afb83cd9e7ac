import { readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { downgradeDocument } from '@carte/operations/openapi/downgrade';
import { postmanCollection } from '@carte/operations/openapi/postman';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { describeSet } from '../../src/rest/openapi.ts';
import { buildGraph } from '../support/graph.ts';

const contract = loadContract(buildGraph());

describe('the OpenAPI document in version 3.0', () => {
  const document = downgradeDocument(describeSet(contract));

  test('has the same routes, and the linter finds nothing in it', async () => {
    expect(document.openapi).toBe('3.0.3');
    expect(Object.keys(document.paths as object)).toEqual(Object.keys(describeSet(contract).paths as object));
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-path-trailing-slash': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  test.each([
    ['a constant', { const: 'a' }, { enum: ['a'] }],
    ['examples of a schema', { examples: [1, 2] }, { example: 1 }],
    ['a nullable type', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'a description beside a reference',
      { $ref: '#/a', description: 'A.' },
      { allOf: [{ $ref: '#/a' }], description: 'A.' },
    ],
    ['a reference alone', { $ref: '#/a' }, { $ref: '#/a' }],
    ['an SPDX license', { identifier: 'MIT' }, { url: 'https://spdx.org/licenses/MIT.html' }],
  ])('expresses %s in the words of 3.0', (_name, schema, expected) => {
    expect(downgradeDocument({ components: { schemas: { A: schema } } })).toMatchObject({
      components: { schemas: { A: expected } },
    });
  });

  test('leaves examples, defaults and the names of properties as they are', () => {
    const schema = {
      properties: { const: { type: 'string' } },
      example: { const: 1, $ref: 'a' },
      default: { type: [] },
    };
    expect(downgradeDocument({ schema }).schema).toEqual(schema);
  });
});

describe('the Postman collection', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  const collection: any = postmanCollection(contract);

  test('has a folder for each tag, with every route and its recorded response', () => {
    expect(collection.item.map(({ name }: { name: string }) => name)).toEqual([
      'Menu',
      'Orders',
      'Stores',
      'Merchants',
    ]);
    const requests = collection.item.flatMap(({ item }: { item: object[] }) => item);
    expect(requests).toHaveLength(9);
    for (const { response } of requests) expect(JSON.parse(response[0].body)).toBeTypeOf('object');
  });

  test('sends the key in a variable, to paths as they are documented', () => {
    const [list] = collection.item[1].item;
    expect(list.request.url).toMatchObject({
      raw: '{{baseUrl}}/v1/stores/:store_service_id/orders/',
      path: ['v1', 'stores', ':store_service_id', 'orders', ''],
      variable: [{ key: 'store_service_id', value: '{{store_service_id}}' }],
    });
    expect(list.request.url.query.every(({ disabled }: { disabled: boolean }) => disabled)).toBe(true);
    expect(collection.auth.apikey).toContainEqual({ key: 'value', value: '{{apiKey}}', type: 'string' });
  });

  test('takes identifiers from the responses, by the links of the document', () => {
    expect(collection.variable).toContainEqual({ key: 'store_service_id', value: 'lisbon-baixa' });
    const [list] = collection.item[1].item;
    expect(list.event[0].script.exec).toEqual([
      `pm.collectionVariables.set('order_service_id', pm.response.json()?.["order_result_list"]?.["0"]?.["id"] ?? pm.collectionVariables.get('order_service_id'));`,
    ]);
  });

  test('shows what has to be filled in where an operation has no example', () => {
    const text = `mutation take($id: ID!, $lines: [OrderLineInput!]!, $customer: CustomerInput!, $at: DateTime!, $key: String!)
      @route(path: "/shop/{id}") {
        placeOrder(input: { storeId: $id, lines: $lines, customer: $customer, readyBy: $at, idempotencyKey: $key }) { order { id } }
      }`;
    const own = readContract(buildGraph(), createSet('shop', [{ path: 'a.graphql', text }]));
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
    const { item }: any = postmanCollection(own);
    expect(JSON.parse(item[0].item[0].request.body.raw)).toEqual({
      lines: [{ item_external_id: 'text' }],
      customer: { name: 'text', phone: 'text' },
      at: '2035-01-01T12:00:00Z',
      key: 'text',
    });
  });

  test('posts the example of a menu, to a store that the user has to name', () => {
    const [create] = collection.item[0].item;
    expect(create.request.url.variable).toMatchObject([{ key: 'store_service_id', value: '' }]);
    expect(JSON.parse(create.request.body.raw).items[0].external_id).toBe('bica');
  });
});
