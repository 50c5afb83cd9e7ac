import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createServer } from '../../src/server/server.ts';
import { waitUntil } from '../http/processes.ts';
import { startService } from '../http/service.ts';
import { createData, createKey } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { startReceiver, verify } from '../support/receiver.ts';

/** A message as Carte has it, and one in a foreign shape. */
const shapes = [
  {
    path: '/pos',
    operation: null,
    orderOf: (message: Message) => message.data?.order_id,
    storeOf: (message: Message) => message.data?.store_id,
  },
  {
    path: '/platform',
    operation: 'notifyPlatformOrder',
    orderOf: (message: Message) => message.body?.order.id,
    storeOf: (message: Message) => message.body?.order.location_id,
  },
];

interface Message {
  readonly data?: { readonly order_id: string; readonly store_id: string };
  readonly body?: { readonly order: { readonly id: string; readonly location_id: string } };
}

test('when a process is killed, another one delivers what is left: everything, in order for each store, signed', async () => {
  const orm = await createDatabase();
  const data = createData(orm);
  const receiver = await startReceiver();
  const env = {
    CARTE_LOG_LEVEL: 'error',
    CARTE_WEBHOOK_ALLOW_HTTP: 'on',
    CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32',
    CARTE_OPERATIONS: fileURLToPath(new URL('../../examples/delivery-platform', import.meta.url)),
  };
  const merchant = (await data.merchant()).id;
  const stores = await Promise.all([1, 2].map(() => data.store({ merchant })));
  const killed = await startService(orm, env);
  const key = await createKey(orm, { permissions: ['ADMIN'] });
  const secrets: string[] = [];
  for (const { path, operation } of shapes) {
    const created = await fetch(`${killed.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({
        query: 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
        variables: { input: { url: receiver.urlOf(path), merchantId: merchant, kinds: ['ORDER_PLACED'], operation } },
      }),
    });
    const { data } = (await created.json()) as { data: { createWebhook: { secret: string } } };
    secrets.push(data.createWebhook.secret);
  }
  const execute = <Row extends object>(text: string, values: unknown[] = []) =>
    orm.em.fork().execute<Row[]>(text, values);

  // Every third attempt fails, and one of each is never answered: the process is killed while it waits.
  const hangingAttempt = 5;
  const accepted = shapes.map(({ path, orderOf }) => {
    const orderIds = new Set<unknown>();
    receiver.respond(path, (response, { message }) => {
      const attempt = receiver.at(path).length;
      if (attempt === hangingAttempt) return;
      const isAccepted = attempt % 3 > 0;
      if (isAccepted) orderIds.add(orderOf(message));
      response.writeHead(isAccepted ? 200 : 500).end();
    });
    return orderIds;
  });
  // Cuts short the time until the next attempt, which is tested with its schedule.
  const retry = () =>
    execute('update webhook_queue set next_attempt_at = now() where claim is null and newest > position');

  const orders = await Promise.all(stores.map(store => data.orders(store, 4)));
  await waitUntil(async () => {
    await retry();
    return shapes.every(({ path }) => receiver.at(path).length >= hangingAttempt);
  });
  killed.child.kill('SIGKILL');
  await killed.ended;

  const claims = await execute<{ claim: string }>('select claim from webhook_queue where claim is not null');
  expect(claims.length).toBeGreaterThanOrEqual(shapes.length);
  // They expire after twenty seconds, for which the test does not wait.
  const expire = () =>
    execute('update webhook_queue set next_attempt_at = now() where claim in (?)', [claims.map(({ claim }) => claim)]);
  const successor = await createServer(orm, readConfig(env));
  await successor.ready();
  const ids = new Set(orders.flat().map(({ id }) => id));
  await waitUntil(async () => {
    await expire();
    await retry();
    return accepted.every(({ size }) => size === ids.size);
  });
  await successor.close();

  for (const [at, { path, orderOf, storeOf }] of shapes.entries()) {
    for (const [index, { id: storeId }] of stores.entries()) {
      const expected = orders[index]?.map(({ id }) => id);
      // A repetition is that of the last message, never an older one.
      const arrived = receiver
        .at(path)
        .filter(({ message }) => storeOf(message) === storeId)
        .map(({ message }) => orderOf(message));
      expect(arrived.filter((id, index) => id !== arrived[index - 1])).toEqual(expected);
    }
    for (const received of receiver.at(path)) verify(received, secrets[at] ?? '');
    expect(new Set(receiver.at(path).map(({ id }) => id)).size).toBe(ids.size);
  }
});
