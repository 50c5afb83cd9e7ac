import { hash } from 'node:crypto';
import { buildSchema } from 'graphql';
import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();

describe('/graphql', () => {
  for (const audit of serverAudits({
    url: `${app.url}/graphql`,
    fetchFn: (input: string, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { 'x-api-key': app.key, ...init.headers } }),
  })) {
    test(`${audit.id}: ${audit.name}`, async () => {
      const result = await audit.fn();
      if (result.status !== 'ok') expect.fail(`${result.status}: ${result.reason}`);
    });
  }

  test('is the playground for a browser, with all files from this server', async () => {
    const { status, headers, text } = await app.get('/graphql', { accept: 'text/html', 'x-api-key': '' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('<title>Carte playground</title>');
    expect(text).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
  });

  test.each([
    [
      'several roots',
      '{ a: stores(first: 2) { nodes { id timezone } } b: merchants(first: 1) { totalCount } __typename }',
      {},
    ],
    [
      '@include',
      'query ($all: Boolean!) { stores(first: 2) { totalCount @skip(if: $all) nodes { id } } }',
      { all: true },
    ],
    ['an error beside data', '{ a: stores(first: 1) { totalCount } b: stores(first: 5000) { totalCount } }', {}],
    ['introspection beside data', '{ stores(first: 1) { totalCount } __schema { queryType { name } } }', {}],
  ])('responds alike to a query that is sent again: %s', async (_what, query, variables) => {
    const send = () => app.graphql(query, variables);
    const responses = [await send(), await send(), await send()];
    const get = await app.get(`/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`);
    const told = await app.graphql(query, variables, { 'x-carte-cost': '1' });
    const [first] = responses;
    expect([...responses, get].map(({ status, text }) => [status, text])).toEqual(
      Array(4).fill([first?.status, first?.text]),
    );
    expect(told.body).toMatchObject({ ...first?.body, extensions: { cost: expect.any(Number) } });
  });

  test('allows introspection without a key, and nothing else', async () => {
    const headers = { 'x-api-key': '' };
    const schema = await app.graphql('{ __schema { queryType { name } } }', {}, headers);
    expect(schema.body).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
    const stores = await app.graphql('{ stores { nodes { id } } }', {}, headers);
    expect(stores.status).toBe(401);
    expect(stores.headers.get('www-authenticate')).toBe('ApiKey');
    expect(stores.body).not.toHaveProperty('data');
    expect(stores.body.errors).toMatchObject([
      { message: 'An API key is needed in the header x-api-key.', extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  test.each([
    ['POST', 7, '`variables` in a POST body must be an object if provided.'],
    ['POST', [1], '`variables` in a POST body must be an object if provided.'],
    [
      'POST',
      '{}',
      '`variables` in a POST body should be provided as an object, not a recursively JSON-encoded string.',
    ],
    ['GET', '7', 'The variables search parameter should contain a JSON-encoded object.'],
    ['GET', 'x', 'The variables search parameter contains invalid JSON.'],
  ])(
    'rejects variables that are no object, also of an operation that requires some: %s %j',
    async (method, variables, message) => {
      for (const query of ['query S($id: ID!) { store(id: $id) { id } }', '{ stores { nodes { id } } }']) {
        const { status, body } =
          method === 'POST'
            ? await app.post('/graphql', { query, variables })
            : await app.get(`/graphql?${new URLSearchParams({ query, variables: String(variables) })}`);
        expect([status, body.errors]).toEqual([400, [{ message, extensions: { code: 'BAD_REQUEST' } }]]);
      }
    },
  );

  test.each(['PUT', 'PATCH', 'DELETE'])('is 405 for %s, whatever body it has', async method => {
    const { status, headers, body } = await app.send(method, '/graphql?query={stores{nodes{id}}}', {
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
    expect(body).toEqual({
      errors: [{ message: 'Method Not Allowed', extensions: { code: 'METHOD_NOT_ALLOWED' } }],
    });
  });

  test('lists the allowed methods for OPTIONS', async () => {
    const { status, headers, text } = await app.send('OPTIONS', '/graphql');
    expect([status, headers.get('allow'), text]).toEqual([204, 'GET, HEAD, OPTIONS, POST', '']);
  });

  test('rejects an unknown key before it parses the query', async () => {
    const { status, body } = await app.graphql('{ nonsense', {}, { 'x-api-key': 'carte_unknown' });
    expect(status).toBe(401);
    expect(body.errors[0]).toMatchObject({
      message: 'The API key in the header x-api-key is not known, or no longer valid.',
      extensions: { code: 'UNAUTHENTICATED' },
    });
  });

  test('reports every invalid argument with its path', async () => {
    const { body } = await app.graphql('{ stores(last: -1, first: 1001) { nodes { id } } }');
    expect(body.errors[0].message).toBe('first: 1001 is too large; it must be at most 1000 (and 2 more)');
    expect(body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [
        { path: ['first'], type: 'less_than_equal', message: '1001 is too large; it must be at most 1000' },
        { path: ['last'], type: 'greater_than_equal', message: '-1 is too small; it must be at least 0' },
        { path: ['last'], type: 'value_error', message: 'cannot be combined with first' },
      ],
    });
  });

  test('masks internal errors and reports the request id', async () => {
    await app.orm.em.fork().execute('alter table merchant rename to merchant_away');
    const { body } = await app.graphql('{ merchants { nodes { id } } }');
    await app.orm.em.fork().execute('alter table merchant_away rename to merchant');
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].message).toBe('Internal server error');
    expect(body.errors[0].extensions).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      requestId: expect.stringMatching(/\S/),
    });
    expect(JSON.stringify(body)).not.toContain('merchant_away');
  });
});

describe('Automatic persisted queries', () => {
  const query = '{ merchants { nodes { id } } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
  const url = (parameters: Readonly<Record<string, string>>) => `/graphql?${new URLSearchParams(parameters)}`;

  test('a client sends a query once with its hash, then the hash alone, by POST and by GET', async () => {
    const byHash = { extensions: JSON.stringify(extensions) };
    const headers = { 'apollo-require-preflight': 'true' };
    const { body: unknown } = await app.get(url(byHash), headers);
    expect(unknown.errors).toEqual([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    const expected = (await app.graphql(query)).body;
    expect((await app.get(url({ ...byHash, query }), headers)).body).toEqual(expected);
    expect((await app.get(url(byHash), headers)).body).toEqual(expected);
    expect((await app.post('/graphql', { extensions })).body).toEqual(expected);
  });

  test('a hash that does not match the query is rejected', async () => {
    const { body } = await app.post('/graphql', { query: '{ stores { nodes { id } } }', extensions });
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  });
});

describe('Request errors', () => {
  test('a subscription is 406 for a client that does not accept an event stream', async () => {
    const { status, body } = await app.graphql('subscription { storeEvents { cursor } }');
    expect(status).toBe(406);
    expect(body.errors).toEqual([
      {
        message: 'A subscription needs the header "accept: text/event-stream", or a WebSocket.',
        extensions: { code: 'NOT_ACCEPTABLE' },
      },
    ]);
  });

  test.each([
    ['from: 1.5', '1.5 is not a whole number within ±(2^53−1)'],
    ['from: "1"', '"1" is not a whole number within ±(2^53−1)'],
  ])('an invalid literal is reported with its location: %s', async (argument, message) => {
    const { body } = await app.graphql(`{ store(id: "x") { menuChanges(${argument}) { from } } }`);
    expect(body.errors).toMatchObject([{ message, locations: [{ line: 1, column: 38 }] }]);
  });

  test('an invalid date-time is reported with its location', async () => {
    const { body } = await app.graphql('{ store(id: "x") { orders(filter: { createdFrom: 5 }) { totalCount } } }');
    expect(body.errors).toMatchObject([
      { message: '5 is not a date-time such as 2026-03-01T18:30:00Z', locations: [{ line: 1, column: 50 }] },
    ]);
  });
});

describe('A mistake in an argument', async () => {
  const store = await app.data.store();
  await app.data.menu(store);
  const order = {
    storeId: store.id,
    idempotencyKey: 'k',
    customer: { name: 'Ana', phone: '1' },
    lines: [{ itemExternalId: 'item' }],
  };
  const withLine = (line: object) => ({ ...order, lines: [...order.lines, { itemExternalId: 'item', ...line }] });
  const place = ['mutation', 'PlaceOrderInput!', 'placeOrder(input: #) { order { id } }'] as const;
  const quote = ['query', 'QuoteOrderInput!', 'quoteOrder(input: #) { total { amount } }'] as const;
  const replace = [
    'mutation',
    'ReplaceMenuConfigurationInput!',
    'replaceMenuConfiguration(input: #) { store { id } }',
  ] as const;
  const stock = [
    'mutation',
    '[StockInput!]!',
    `setStock(input: { storeId: "${store.id}", items: # }) { store { id } }`,
  ] as const;
  const hours = [
    'mutation',
    '[SpecialHoursInput!]!',
    `setSpecialHours(input: { storeId: "${store.id}", hours: # }) { store { id } }`,
  ] as const;
  const search = ['query', 'OrderFilter', `store(id: "${store.id}") { orders(filter: #) { totalCount } }`] as const;
  const { idempotencyKey: _, customer: _guest, ...quoted } = order;
  const name = { translations: { en: 'Soup' } };
  const item = { externalId: 'soup', name, price: 1, tax: 0, sellSeparately: true };

  const toLiteral = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(toLiteral).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${key}: ${toLiteral(member)}`)
      .join(', ')} }`;
  };

  test.each<
    [what: string, field: readonly [string, string, string], value: unknown, path: (string | number)[], type: string]
  >([
    ['a text for a number', place, withLine({ quantity: 'two' }), ['input', 'lines', 1, 'quantity'], 'value_error'],
    [
      'a fraction',
      quote,
      { ...quoted, lines: [{ itemExternalId: 'item', quantity: 1.5 }] },
      ['input', 'lines', 0, 'quantity'],
      'value_error',
    ],
    [
      'a missing field',
      place,
      withLine({ modifiers: [{ modifierGroupExternalId: 'group' }] }),
      ['input', 'lines', 1, 'modifiers', 0, 'modifierItemExternalId'],
      'missing',
    ],
    ['an unknown field', place, withLine({ qty: 2 }), ['input', 'lines', 1, 'qty'], 'extra_forbidden'],
    ['null in a list', place, { ...order, lines: [null] }, ['input', 'lines', 0], 'value_error'],
    [
      'an object for a text',
      place,
      { ...order, customer: { name: {}, phone: '1' } },
      ['input', 'customer', 'name'],
      'value_error',
    ],
    ['a missing object', place, { ...order, customer: undefined }, ['input', 'customer'], 'missing'],
    ['an invalid time', quote, { ...quoted, readyBy: 'soon' }, ['input', 'readyBy'], 'value_error'],
    [
      'an invalid price',
      replace,
      { storeId: store.id, items: [item, { ...item, externalId: 'tea', price: '2' }] },
      ['input', 'items', 1, 'price'],
      'value_error',
    ],
    [
      'an invalid text',
      replace,
      { storeId: store.id, items: [{ ...item, name: { translations: ['Soup'] } }] },
      ['input', 'items', 0, 'name', 'translations'],
      'value_error',
    ],
    [
      'a number in nested lists',
      hours,
      [{ date: '2036-12-24', timePeriods: [{ startTime: '10:00', endTime: 12 }] }],
      ['input', 'hours', 0, 'timePeriods', 0, 'endTime'],
      'value_error',
    ],
    [
      'an element of an argument',
      stock,
      [
        { externalId: 'item', inStock: true },
        { externalId: 'item', inStock: 'no' },
      ],
      ['input', 'items', 1, 'inStock'],
      'value_error',
    ],
    ['an unknown value of an enum', search, { statuses: ['DONE'] }, ['filter', 'statuses', 0], 'value_error'],
    [
      'an element that a rule forbids',
      stock,
      [
        { externalId: 'item', inStock: true },
        { externalId: 'none', inStock: true },
      ],
      ['input', 'items', 1, 'externalId'],
      'reference_not_found',
    ],
    [
      'a reference that a rule forbids',
      replace,
      { storeId: store.id, items: [item], categories: [{ externalId: 'c', name, itemExternalIds: ['soup', 'tea'] }] },
      ['input', 'categories', 0, 'itemExternalIds', 1],
      'reference_not_found',
    ],
  ])('has one path, %s as a literal and as a variable', async (_what, [kind, type, field], value, path, rule) => {
    const given = JSON.parse(JSON.stringify(value));
    const sent = [
      await app.graphql(`${kind} { ${field.replace('#', toLiteral(given))} }`),
      await app.graphql(`${kind} ($given: ${type}) { ${field.replace('#', '$given')} }`, { given }),
      await app.post('/graphql', {
        query: `query Other($given: Int) { stores(first: $given) { totalCount } } ${kind} It($given: ${type}) { ...F }
          fragment F on ${kind === 'query' ? 'Query' : 'Mutation'} { ${field.replace('#', '$given')} }`,
        variables: { given },
        operationName: 'It',
      }),
    ];
    for (const { body } of sent) {
      expect(body.errors, JSON.stringify(body)).toMatchObject([{ extensions: { errors: [{ path, type: rule }] } }]);
      expect(body.errors[0].extensions.errors).toHaveLength(1);
    }
  });

  test('has the path of the argument, also if a variable is only a part of it, or the argument is missing', async () => {
    const errorsOf = async (query: string, variables: object) =>
      (await app.graphql(query, variables)).body.errors[0].extensions.errors;
    const part =
      'query ($count: Int!) { quoteOrder(input: { storeId: "s", lines: [{ itemExternalId: "i", quantity: $count }] }) { total { amount } } }';
    expect(await errorsOf(part, { count: 'two' })).toMatchObject([{ path: ['input', 'lines', 0, 'quantity'] }]);
    const accept = { accept: 'text/event-stream' };
    const stream = await app.graphql(
      'subscription ($s: ID!) { orderEvents(storeId: $s) { cursor } }',
      { s: {} },
      accept,
    );
    expect(stream.text).toContain('"errors":[{"path":["storeId"],"type":"value_error"');
    const missing = [{ path: ['id'], type: 'missing' }];
    expect(await errorsOf('query ($store: ID!) { store(id: $store) { id } }', {})).toMatchObject(missing);
    expect(await errorsOf('{ store { id } }', {})).toMatchObject(missing);
    expect(await errorsOf('{ stores(first: "x", size: 1) { nodes { name(in: "en") nope } } }', {})).toMatchObject([
      { path: ['first'], type: 'value_error' },
      { path: ['size'], type: 'extra_forbidden' },
      { path: ['in'], type: 'extra_forbidden' },
    ]);
  });
});

describe('/schema.graphql', () => {
  test('is the SDL with its descriptions, without a key', async () => {
    const { status, headers, text } = await app.get('/schema.graphql', { 'x-api-key': '' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(buildSchema(text).getQueryType()?.getFields().store?.description).toBeTruthy();
    expect(text).toMatch(
      /^ {2}\): OrderConnection! @cost\(weight: 100\) .*@readable\(with: READ_ORDERS, byPlacer: true\)$/m,
    );
    expect(text).toMatch(/ @requires\(permission: ADMIN\)/);
  });

  test('is 404 for others than guests', async () => {
    expect((await app.get('/schema.graphql?for=nobody')).status).toBe(404);
    expect((await app.get('/schema.graphql?for=guests&for=guests')).status).toBe(404);
  });

  test('is 404 where introspection is off, and / has no link to it', async () => {
    const closed = await startApp({ introspection: false });
    expect((await closed.get('/schema.graphql')).status).toBe(404);
    expect((await closed.get('/')).text).not.toContain('schema.graphql');
  });
});
