import { globSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema, type GraphQLObjectType, getNullableType, isObjectType, parse } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { transitions } from '../../src/order/statuses.ts';
import { startApp } from '../support/app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(`${root}docs/${name}.md`, 'utf8');

/** In this order, since one query needs what those before it have done. */
const guides = [
  ...['front-end', 'reading-menus', 'placing-orders', 'handling-orders', 'live-updates', 'caching', 'typed-clients'],
  ...['changing-menus', 'limits', 'errors'],
];
const blocks = [
  ...guides
    .map(read)
    .join('\n')
    .matchAll(/^```(\w+ ?\w*)\n([\s\S]*?)^```$/gm),
].map(([, kind, content = '']) => ({
  kind,
  content,
}));

/** Each query of the document with the blocks that follow it: its variables, and what it answers. */
const queries = blocks.flatMap(({ kind, content }, index) => {
  if (kind !== 'graphql') return [];
  const rest = blocks.slice(index + 1);
  const end = rest.findIndex(block => !block.kind?.startsWith('json '));
  const own = rest.slice(0, end === -1 ? rest.length : end);
  const part = (name: string) => JSON.parse(own.find(block => block.kind === `json ${name}`)?.content ?? 'null');
  const name = /(?:query|mutation) (\w+)/.exec(content)?.[1] ?? 'without a name';
  const isSecret = content.startsWith('# With a secret key');
  const isGuests = content.startsWith('# With a publishable key that places orders');
  const shown = { variables: part('variables'), answer: part('answer'), errors: part('errors') };
  return [{ name, query: content, isSecret, isGuests, ...shown }];
});

const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);

interface OrderPages {
  readonly store: {
    readonly orders: {
      readonly totalCount: number;
      readonly edges: readonly { readonly node: { readonly id: string } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    };
  };
}

const app = await startApp();
await loadDemo(app.orm);
const guest = { 'x-api-key': await app.newKey({ publishable: true, permissions: [] }) };
const placer = { 'x-api-key': await app.newKey({ publishable: true, permissions: ['PLACE_GUEST_ORDERS'] }) };

// Thursday evening of the next week.
const thursday = new Date(Date.now() + (11 - ((new Date().getUTCDay() + 7) % 7)) * 86_400_000).toISOString();
const readyBy = `${thursday.slice(0, 10)}T20:00:00Z`;

describe('the guides for front ends', () => {
  test('has queries', () => expect(queries.length).toBeGreaterThan(8));

  test('has the code of examples/browser-menu', () => {
    const withoutIndent = (code: string) => code.replaceAll(/^ +/gm, '');
    const files = globSync('examples/browser-menu/{*.tsx,public/*.html}', { cwd: root });
    const sources = files.map(file => withoutIndent(readFileSync(`${root}${file}`, 'utf8')));
    const shown = blocks.filter(({ kind }) => kind === 'tsx');
    expect(shown).toHaveLength(3);
    for (const { content } of shown)
      expect(sources.filter(source => source.includes(withoutIndent(content)))).toHaveLength(1);
  });

  test('lists prices in three currencies with the documented function', async () => {
    const { content = '' } = blocks.find(block => block.content.startsWith('async function listPrices(')) ?? {};
    const listPrices = new Function(`return ${content}`)();
    const { query } = queries.find(({ name }) => name === 'Prices') ?? {};
    const prices = await listPrices(`${app.url}/graphql`, guest['x-api-key'], query);
    expect(prices).toEqual(['Bica: €1.10', 'Hand-drip coffee: ¥520', 'Taco al pastor: MX$28.00']);
  });

  let orderId = '';
  test.each(queries.filter(({ isGuests }) => !isGuests))(
    '$name returns what the document shows, to a publishable key unless it is marked',
    async sample => {
      const { query, variables, answer, errors, isSecret } = sample;
      // The document first places an order, and then changes it.
      const given = JSON.stringify(variables).replaceAll('ID-OF-THE-ORDER', orderId);
      const values = JSON.parse(given.replace('READY-BY', readyBy));
      // At a time that no guest may use it would have another problem; charges are never of guests.
      if (values?.input?.readyBy && !values.input.charges && !isSecret)
        expect((await app.graphql(query, values, placer)).body.data).toMatchObject(answer);
      const byGuest = (await app.graphql(query, values, guest)).body;
      if (isSecret) expect([byGuest.data, byGuest.errors[0].extensions.code]).toEqual([undefined, 'FORBIDDEN']);
      else if (errors) expect(byGuest.errors).toMatchObject(errors);
      else expect(byGuest.errors).toBeUndefined();
      const { status, body } = await app.graphql(query, values);
      expect(status).toBe(200);
      orderId = body.data?.placeOrder?.order.id ?? orderId;
      if (errors) return expect(body.errors).toMatchObject(errors);
      expect(body.errors).toBeUndefined();
      expect(Object.values(body.data)).not.toContain(null);
      if (answer) expect(body.data).toMatchObject(answer);
    },
  );

  let token = '';
  test.each(queries.filter(({ isGuests }) => isGuests))(
    '$name returns what the document shows, to a publishable key that places orders',
    async ({ query, variables, answer }) => {
      const given = JSON.stringify(variables).replace('READY-BY', readyBy);
      const values = JSON.parse(given.replace('TOKEN-OF-THE-ORDER', token));
      expect((await app.graphql(query, values, guest)).body.data?.placeOrder ?? null).toBeNull();
      const { data, errors } = (await app.graphql(query, values, placer)).body;
      expect(errors).toBeUndefined();
      token = data.placeOrder?.guestToken ?? token;
      expect(data).toMatchObject(answer);
    },
  );

  test('marks subscriptions of orders, too', async () => {
    const [watch, ...others] = blocks.filter(({ kind }) => kind === 'graphql subscription');
    expect(others).toEqual([]);
    expect(watch?.content).toMatch(/^# With a secret key\.$/m);
    expect(
      (await app.graphql(watch?.content ?? '', { store: 'lisbon-baixa' }, guest)).body.errors[0].extensions.code,
    ).toBe('FORBIDDEN');
  });

  test('has the table of transitions', () => {
    const rows = [...read('handling-orders').matchAll(/^\| (`[A-Z_`, ]+) \| (.+) \|$/gm)].flatMap(
      ([, from = '', to = '']) => namesIn(from).map(status => [status, namesIn(to)]),
    );
    expect(Object.fromEntries(rows)).toEqual(transitions);
  });

  test('the cursor leads through all orders, each once', async () => {
    const { query = '', variables } = queries.find(({ name }) => name === 'Orders') ?? {};
    const ids: string[] = [];
    let page = { totalCount: 0, pageInfo: { hasNextPage: true, endCursor: null }, nodes: [] as { id: string }[] };
    while (page.pageInfo.hasNextPage) {
      page = (await app.graphql(query, { ...variables, after: page.pageInfo.endCursor })).body.data.store.orders;
      ids.push(...page.nodes.map(({ id }) => id));
    }
    expect(ids.length).toBeGreaterThan(20);
    expect([ids.length, new Set(ids).size]).toEqual([page.totalCount, page.totalCount]);
  });

  /** A client of Apollo's with the documented cache. */
  function apolloClient(send = fetch) {
    const { content = '' } = blocks.find(block => block.content.startsWith('new InMemoryCache(')) ?? {};
    const cache: InMemoryCache = new Function('InMemoryCache', 'relayStylePagination', `return ${content}`)(
      InMemoryCache,
      relayStylePagination,
    );
    const link = new HttpLink({ uri: `${app.url}/graphql`, headers: { 'x-api-key': app.key }, fetch: send });
    return { client: new ApolloClient({ cache, link }), policies: content };
  }

  test('Apollo Client undoes the documented optimistic update if the order has changed', async () => {
    const { client } = apolloClient();
    const { content = '' } = blocks.find(block => block.content.startsWith('const accept =')) ?? {};
    const accept: (order: object) => Promise<unknown> = new Function('client', 'gql', `${content} return accept`)(
      client,
      gql,
    );
    const store = await app.data.store();
    const [{ id } = { id: '' }] = await app.data.orders(store, 1);
    const query = gql`query ($id: ID!) { order(id: $id) { id status revision } }`;
    const read = (fetchPolicy: 'cache-only' | 'network-only') =>
      client.query<{ order: { status: string } }>({ query, variables: { id }, fetchPolicy });
    const seen = (await read('network-only')).data?.order ?? {};
    await app.graphql(
      'mutation ($id: ID!) { markOrders(input: { orderIds: [$id], isRead: true }) { orders { id } } }',
      { id },
    );
    const accepted = accept(seen);
    const shown = async () => (await read('cache-only')).data?.order.status;
    expect(await shown()).toBe('ACCEPTED');
    await expect(accepted).rejects.toThrow('The order is no longer at revision');
    expect(await shown()).toBe('PENDING');
    await accept((await read('network-only')).data?.order ?? {});
    expect(await shown()).toBe('ACCEPTED');
  });

  test('Apollo Client merges the pages of the documented query in the documented cache', async () => {
    const { client } = apolloClient();
    const { query = '', variables } = queries.find(({ name }) => name === 'OrderPages') ?? {};
    const operation = { query: parse(query), variables };
    let { orders } = (await client.query<OrderPages>(operation)).data?.store ?? {};
    const watched = client.watchQuery<OrderPages>(operation);
    const subscription = watched.subscribe({});
    onTestFinished(() => subscription.unsubscribe());
    const lengths = [orders?.edges.length];
    while (orders?.pageInfo.hasNextPage) {
      await watched.fetchMore({ variables: { after: orders.pageInfo.endCursor } });
      orders = client.readQuery<OrderPages>(operation)?.store.orders;
      lengths.push(orders?.edges.length);
    }
    expect(lengths.slice(0, 2)).toEqual([20, 40]);
    expect(new Set(orders?.edges.map(({ node }) => node.id)).size).toBe(orders?.totalCount);
  });

  test.each([
    [
      'a name in three languages',
      ['en', 'pt', 'es'].map(language => `menus { id name { text(languages: ["${language}"]) } }`),
    ],
    [
      'three fields of an object without an id',
      ['state', 'until', 'delayMinutes'].map(field => `ordering { ${field} }`),
    ],
    [
      'three fields of a connection',
      ['totalCount', 'nodes { id }', 'pageInfo { endCursor }'].map(field => `merchant { id stores { ${field} } }`),
    ],
  ])('Apollo Client fetches %s once each', async (_what, selections) => {
    let pending = 0;
    let requests = 0;
    const { client } = apolloClient(async (...request) => {
      requests++;
      pending++;
      const response = await fetch(...request);
      const body = await response.text();
      pending--;
      return new Response(body, response);
    });
    for (const selection of selections) {
      const query = parse(`{ store(id: "lisbon-baixa") { id ${selection} } }`);
      const subscription = client.watchQuery({ query }).subscribe({});
      onTestFinished(() => subscription.unsubscribe());
    }
    // A watched query whose data was replaced fetches it again at once.
    for (let turns = 0; turns < 100; turns = pending === 0 ? turns + 1 : 0) await nextTurn();
    expect(requests).toBe(selections.length);
  });

  test('names every type for Apollo Client of which an entity has one, without an id', async () => {
    const schema = buildSchema((await app.get('/schema.graphql')).text);
    const found = new Set<string>();
    const visit = (type: GraphQLObjectType): void => {
      for (const field of Object.values(type.getFields())) {
        const value = getNullableType(field.type);
        if (!isObjectType(value) || value.getFields().id || found.has(value.name)) continue;
        found.add(value.name);
        visit(value);
      }
    };
    const entities = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter(type => type.getFields().id);
    for (const type of [schema.getQueryType(), ...entities]) if (type) visit(type);
    // One field cannot be half of the object; pages of orders are merged as such.
    const named = [...found].filter(name => {
      const type = schema.getType(name);
      return name !== 'OrderConnection' && isObjectType(type) && Object.keys(type.getFields()).length > 1;
    });
    const [, list = ''] = /Object\.fromEntries\((.*?)\.map/s.exec(apolloClient().policies) ?? [];
    expect([...list.matchAll(/'(\w+)'/g)].map(match => match[1]).toSorted()).toEqual(named.toSorted());
  });

  test('has every error code in its table, and no other', () => {
    const files = globSync(['src/graphql/**/*.ts', 'packages/operations/src/**/*.ts'], { cwd: root });
    files.push('src/server/error-handler.ts');
    const sources = files.map(file => readFileSync(`${root}${file}`, 'utf8')).join('\n');
    // The shortest of them is CONFLICT; this one stands beside the code, as `validationErrorCode`.
    const own = [...sources.matchAll(/'([A-Z_]{8,})'/g)]
      .map(match => match[1])
      .filter(code => code !== 'INTROSPECTION_DISABLED');
    const rows = [...read('errors').matchAll(/^\| (`[A-Z_]+`.*?) \|/gm)].flatMap(([, codes = '']) => namesIn(codes));
    expect(rows.toSorted()).toEqual([...new Set([...own, ...Object.values(ApolloServerErrorCode)])].toSorted());
  });

  test('a list of operations is BAD_REQUEST', async () => {
    const { status, body } = await app.post('/graphql', [{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  });

  test("a read outside the key's scope is null, and a list leaves it out", async () => {
    const key = await app.newKey({ storeIds: ['lisbon-baixa'] });
    const { body } = await app.graphql(
      '{ store(id: "mexico-roma") { id } stores { nodes { id } } }',
      {},
      { 'x-api-key': key },
    );
    expect(body).toEqual({ data: { store: null, stores: { nodes: [{ id: 'lisbon-baixa' }] } } });
  });
});
