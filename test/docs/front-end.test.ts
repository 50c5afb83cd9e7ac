import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { parse } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { transitions } from '../../src/order/transitions.ts';
import { startApp } from '../support/app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(`${root}docs/front-end.md`, 'utf8');
const blocks = [...text.matchAll(/^```(\w+ ?\w*)\n([\s\S]*?)^```$/gm)].map(([, kind, content = '']) => ({
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
  return [{ name, query: content, variables: part('variables'), answer: part('answer'), errors: part('errors') }];
});

const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);

interface OrderPages {
  readonly store: {
    readonly orders: {
      readonly count: number;
      readonly edges: readonly { readonly node: { readonly id: string } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    };
  };
}

const app = await startApp();
await loadDemo(app.orm);

describe('docs/front-end.md', () => {
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

  let orderId = '';
  test.each(queries)('$name returns what the document shows', async ({ query, variables, answer, errors }) => {
    // The document first places an order, and then changes it.
    const values = JSON.parse(JSON.stringify(variables).replaceAll('ID-OF-THE-ORDER', orderId));
    const { status, body } = await app.graphql(query, values);
    expect(status).toBe(200);
    orderId = body.data?.placeOrder?.order.id ?? orderId;
    if (errors) return expect(body.errors).toMatchObject(errors);
    expect(body.errors).toBeUndefined();
    expect(Object.values(body.data)).not.toContain(null);
    if (answer) expect(body.data).toMatchObject(answer);
  });

  test('has the table of transitions', () => {
    const section = /^## Changing an order$(.*?)^## /ms.exec(text)?.[1] ?? '';
    const rows = [...section.matchAll(/^\| (`[A-Z_`, ]+) \| (.+) \|$/gm)].flatMap(([, from = '', to = '']) =>
      namesIn(from).map(status => [status, namesIn(to)]),
    );
    expect(Object.fromEntries(rows)).toEqual(transitions);
  });

  test('the cursor leads through all orders, each once', async () => {
    const { query = '', variables } = queries.find(({ name }) => name === 'Orders') ?? {};
    const ids: string[] = [];
    let page = { count: 0, pageInfo: { hasNextPage: true, endCursor: null }, nodes: [] as { id: string }[] };
    while (page.pageInfo.hasNextPage) {
      page = (await app.graphql(query, { ...variables, after: page.pageInfo.endCursor })).body.data.store.orders;
      ids.push(...page.nodes.map(({ id }) => id));
    }
    expect(ids.length).toBeGreaterThan(20);
    expect([ids.length, new Set(ids).size]).toEqual([page.count, page.count]);
  });

  test('Apollo Client merges the pages of the documented query in the documented cache', async () => {
    const { content = '' } = blocks.find(block => block.content.startsWith('new InMemoryCache(')) ?? {};
    const cache: InMemoryCache = new Function('InMemoryCache', 'relayStylePagination', `return ${content}`)(
      InMemoryCache,
      relayStylePagination,
    );
    const link = new HttpLink({ uri: `${app.url}/graphql`, headers: { 'x-api-key': app.key } });
    const client = new ApolloClient({ cache, link });
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
    expect(new Set(orders?.edges.map(({ node }) => node.id)).size).toBe(orders?.count);
  });

  test('has every error code in its table, and no other', () => {
    const files = [...globSync('src/graphql/**/*.ts', { cwd: root }), 'src/server/error-handler.ts'];
    const sources = files.map(file => readFileSync(`${root}${file}`, 'utf8')).join('\n');
    // The shortest of them is CONFLICT; this one stands beside the code, as `validationErrorCode`.
    const own = [...sources.matchAll(/'([A-Z_]{8,})'/g)]
      .map(match => match[1])
      .filter(code => code !== 'INTROSPECTION_DISABLED');
    const section = /^## Errors$(.*?)^## /ms.exec(text)?.[1] ?? '';
    const rows = [...section.matchAll(/^\| (`[A-Z_]+`.*?) \|/gm)].flatMap(([, codes = '']) => namesIn(codes));
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
