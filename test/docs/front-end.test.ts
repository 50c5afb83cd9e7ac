import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { limitCodes } from '../../src/graphql/limits.ts';
import { transitions } from '../../src/order/transitions.ts';
import { startApp } from '../support/app.ts';

const text = readFileSync(new URL('../../docs/front-end.md', import.meta.url), 'utf8');
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

const app = await startApp();
await loadDemo(app.orm);

describe('docs/front-end.md', () => {
  test('has queries', () => expect(queries.length).toBeGreaterThan(8));

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

  test('names every code of a query over a limit', () => {
    for (const code of limitCodes) expect(text).toContain(`\`${code}\``);
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
