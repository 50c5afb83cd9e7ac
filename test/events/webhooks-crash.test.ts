import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createServer } from '../../src/server/server.ts';
import { start, waitForOutput } from '../cli/support.ts';
import { waitUntil } from '../http/processes.ts';
import { startApp } from '../support/app.ts';
import { startReceiver, verify } from '../support/receiver.ts';
import { urlOf } from '../support/url.ts';

test('when a process is killed, another one delivers what is left: everything, in order for each store, signed', {
  timeout: 60_000,
}, async () => {
  const app = await startApp();
  const receiver = await startReceiver();
  const env = {
    DATABASE_URL: urlOf(app.orm),
    PORT: '0',
    CARTE_LOG_LEVEL: 'error',
    CARTE_WEBHOOK_ALLOW_HTTP: 'on',
    CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32',
  };
  const merchant = (await app.data.merchant()).id;
  const stores = await Promise.all([1, 2].map(() => app.data.store({ merchant })));
  const operator = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };
  const { body } = await app.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
    { input: { url: receiver.urlOf('/pos'), merchantId: merchant, kinds: ['ORDER_PLACED'] } },
    operator,
  );
  const execute = <Row extends object>(text: string, values: unknown[] = []) =>
    app.orm.em.fork().execute<Row[]>(text, values);

  // Every third attempt fails, and one is never answered: the process is killed while it waits.
  const accepted: string[] = [];
  const hangingAttempt = 5;
  receiver.respond('/pos', (response, { message }) => {
    if (receiver.all.length === hangingAttempt) return;
    const isAccepted = receiver.all.length % 3 > 0;
    if (isAccepted) accepted.push(message.data.order_id);
    response.writeHead(isAccepted ? 200 : 500).end();
  });
  // Cuts short the time until the next attempt, which is tested with its schedule.
  const retry = () =>
    execute('update webhook_queue set next_attempt_at = now() where claim is null and newest > position');

  const killed = start(['serve'], env);
  await waitForOutput(killed, 'Carte is ready');
  const orders = await Promise.all(stores.map(store => app.data.orders(store, 4)));
  await waitUntil(async () => {
    await retry();
    return receiver.all.length >= hangingAttempt;
  });
  killed.child.kill('SIGKILL');
  await killed.ended;

  const claims = await execute<{ claim: string }>('select claim from webhook_queue where claim is not null');
  expect(claims.length).toBeGreaterThanOrEqual(1);
  // They expire after twenty seconds, for which the test does not wait.
  const expire = () =>
    execute('update webhook_queue set next_attempt_at = now() where claim in (?)', [claims.map(({ claim }) => claim)]);
  const successor = await createServer(app.orm, readConfig(env));
  await successor.ready();
  const ids = new Set(orders.flat().map(({ id }) => id));
  await waitUntil(async () => {
    await expire();
    await retry();
    return new Set(accepted).size === ids.size;
  });
  await successor.close();

  for (const [index, { id: storeId }] of stores.entries()) {
    const expected = orders[index]?.map(({ id }) => id);
    // A repetition is that of the last message, never an older one.
    const arrived = receiver.all
      .filter(({ message }) => message.data.store_id === storeId)
      .map(({ message }) => message.data.order_id);
    expect(arrived.filter((id, at) => id !== arrived[at - 1])).toEqual(expected);
  }
  for (const received of receiver.all) verify(received, body.data.createWebhook.secret);
  expect(new Set(receiver.all.map(({ id }) => id)).size).toBe(ids.size);
});
