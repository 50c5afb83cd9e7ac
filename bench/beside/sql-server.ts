/**
 * Hand-written reads of the interface: one statement per request, whose result is the response body, without a
 * cache. It takes DATABASE_URL and the only valid key.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import Fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import type { Statement } from './sql-statements.ts';
import { statements } from './sql-statements.ts';
import { type Lists, treeOf } from './sql-tree.ts';

const { DATABASE_URL: connectionString, BENCH_KEY: key } = process.env;
const pool = new pg.Pool({ connectionString, max: 10 });
pool.on('error', error => console.error(error));
const compress = promisify(brotliCompress);
// Same compression as Carte.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

interface Found {
  readonly body: string;
  readonly tag: string;
}

async function find(statement: Statement, values: readonly unknown[]): Promise<Found | undefined> {
  return (await pool.query<Found>({ ...statement, values: [...values] })).rows[0];
}

function sendBody(reply: FastifyReply, found: Pick<Found, 'body'> | undefined) {
  reply.header('content-type', 'application/json; charset=utf-8');
  return found ? reply.send(found.body) : reply.code(404).send('{"detail":"not found"}');
}

interface Asked {
  readonly Params: { readonly id: string };
  readonly Querystring: Readonly<Partial<Record<'page_index' | 'page_size' | 'status' | 'skip' | 'limit', string>>>;
}

const app = Fastify();
app.addHook('onRequest', async (request, reply) => {
  if (request.headers['x-api-key'] !== key) return reply.code(401).send({ detail: 'no such key' });
});
app.get<Asked>('/v1/stores/:id/menu_configuration/', async ({ params, headers }, reply) => {
  const known = headers['if-none-match'];
  if (known !== undefined) {
    const tag = (await find(statements.revision, [params.id]))?.tag;
    if (`"${tag}"` === known) return reply.code(304).header('etag', known).send();
  }
  const found = await find(statements.tree, [params.id]);
  if (!found) return sendBody(reply, found);
  const lists: Lists = JSON.parse(found.body);
  const body = JSON.stringify(treeOf(lists));
  reply.header('etag', `"${found.tag}"`);
  if (!headers['accept-encoding']?.includes('br')) return sendBody(reply, { body });
  reply.header('content-type', 'application/json; charset=utf-8').header('content-encoding', 'br');
  return reply.send(await compress(body, quality));
});
app.get<Asked>('/v1/stores/:id/menu_configuration/flat', async ({ params }, reply) =>
  sendBody(reply, await find(statements.flat, [params.id])),
);
app.get<Asked>('/v1/stores/:id/orders/', async ({ params, query }, reply) => {
  const { page_index = '0', page_size = '50', status } = query;
  const values = [params.id, Number(page_index), Number(page_size)];
  const found = status
    ? await find(statements.ordersOfStatus, [...values, status.split(',')])
    : await find(statements.orders, values);
  return sendBody(reply, found);
});
app.get<Asked>('/v1/orders/:id', async ({ params }, reply) =>
  sendBody(reply, await find(statements.order, [params.id])),
);
app.get<Asked>('/v1/stores/:id', async ({ params }, reply) =>
  sendBody(reply, await find(statements.store, [params.id])),
);
for (const kind of ['stores', 'merchants'] as const) {
  app.get<Asked>(`/v1/${kind}/`, async ({ query: { skip = '0', limit = '100' } }, reply) =>
    sendBody(reply, await find(statements[kind], [Number(skip), Number(limit)])),
  );
}
console.log(`The SQL server is ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
