import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../support/options.ts';
import { carte, createKey, importDocuments, type Server, stopServer } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { orderableMenu } from './support/menu.ts';

const options = readOptions(
  `Checks that concurrent and repeated mutations of orders have one effect each. Two processes change the status of each order at once. Then one
idempotency key at a time is sent a hundred times, while the process that handles it is killed with SIGKILL and started again.`,
  { orders: 1000, kills: 5 },
);

const placeOrder = `mutation ($input: PlaceOrderInput!) { result: placeOrder(input: $input) { order { id } } }`;
const changeStatus = `mutation ($id: ID!, $to: OrderStatus!) {
  result: changeOrderStatus(input: { orderId: $id, to: $to, from: PENDING }) { order { id } }
}`;

interface Reply {
  readonly data?: { readonly result: { readonly order: { readonly id: string } } | null } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const inputOf = (idempotencyKey: string) => ({
  storeId: 'store',
  idempotencyKey,
  customer: { name: idempotencyKey, phone: '' },
  lines: [{ itemExternalId: 'soup', quantity: 2 }],
});

function callsWith(key: string) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    async post(url: string, path: string, body: unknown): Promise<Reply> {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Reply;
    },
    async count(url: string, query: string): Promise<number> {
      const response = await fetch(`${url}/v1/stores/store/orders/?${query}`, { headers });
      return ((await response.json()) as { count: number }).count;
    },
  };
}

type Calls = ReturnType<typeof callsWith>;

/** Two processes change the status of each order at once: one to ACCEPTED, the other to REJECTED. */
async function race({ post, count }: Calls, [one, two]: readonly [Server, Server]): Promise<boolean> {
  const { orders } = options;
  const outcomes = new Map<string, number>();
  for (let order = 0; order < orders; order++) {
    const { data } = await post(one.url, '/graphql', {
      query: placeOrder,
      variables: { input: inputOf(randomUUID()) },
    });
    const id = data?.result?.order.id;
    const change = (url: string, to: string) => post(url, '/graphql', { query: changeStatus, variables: { id, to } });
    for (const { errors } of await Promise.all([change(one.url, 'ACCEPTED'), change(two.url, 'REJECTED')])) {
      const outcome = errors?.[0]?.extensions.code ?? 'changed';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  const [accepted, rejected, all] = [
    await count(one.url, 'status=ACCEPTED'),
    await count(two.url, 'status=REJECTED'),
    await count(one.url, ''),
  ];
  console.log(`${orders} orders, each changed by two processes at once:`, Object.fromEntries(outcomes));
  console.log(`  counted: ${accepted} accepted, ${rejected} rejected, ${all} in all`);
  const isExact = accepted + rejected === orders && all === orders;
  return isExact && outcomes.get('changed') === orders && outcomes.get('CONFLICT') === orders;
}

/** Sends one key a hundred times; the process is killed during the first half. Returns whether there is one order. */
async function killDuring({ post, count }: Calls, start: () => Promise<Server>): Promise<boolean> {
  const key = randomUUID();
  const place = (url: string) => post(url, '/graphql', { query: placeOrder, variables: { input: inputOf(key) } });
  const first = await start();
  // Otherwise the process would be killed while it still compiles.
  await post(first.url, '/graphql', { query: placeOrder, variables: { input: inputOf(randomUUID()) } });
  const early = Array.from({ length: 50 }, () => place(first.url).catch(() => undefined));
  const delay = Math.random() * 600;
  await sleep(delay);
  first.child.kill('SIGKILL');
  const before = (await Promise.all(early)).filter(reply => reply !== undefined);
  const second = await start();
  const committed = await count(second.url, `customer_name=${key}`);
  const after = await Promise.all(Array.from({ length: 50 }, () => place(second.url)));
  const ids = new Set([...before, ...after].map(({ data, errors }) => data?.result?.order.id ?? errors?.[0]?.message));
  const orders = await count(second.url, `customer_name=${key}`);
  await stopServer(second);
  const state = committed === 1 ? 'after' : 'before';
  console.log(
    `killed after ${delay.toFixed(0)} ms, ${state} the commit: ${before.length} of 50 calls had a response; ` +
      `then 50 more: ${ids.size} id, ${orders} order`,
  );
  return ids.size === 1 && orders === 1;
}

await runDrill(async ({ startDatabase, startServer, violations }) => {
  const { env } = await startDatabase();
  const start = () => startServer({ ...env, CARTE_LOG_LEVEL: 'silent' });
  await importDocuments('stores', [{ id: 'store', name: {} }], env);
  const calls = callsWith(await createKey(env, '--write'));
  const both = [await start(), await start()] as const;
  await calls.post(both[0].url, '/v1/stores/store/menu_configuration/', orderableMenu);
  if (!(await race(calls, both))) violations.push('a change of two at once had not one effect, or a count is wrong');
  for (const server of both) await stopServer(server);
  for (let kill = 0; kill < options.kills; kill++) {
    if (!(await killDuring(calls, start))) violations.push('an idempotency key had not one order');
  }
  // It exits with 1 if a counter is wrong.
  await carte(['orders', 'verify'], env);
});
