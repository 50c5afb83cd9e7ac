import { expect, test } from 'vitest';
import { queryIn } from '../../src/database/query.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import { createData } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { startReceiver, verify } from '../support/receiver.ts';
import { urlOf } from '../support/url.ts';
import { run } from './support.ts';

const orm = await createDatabase();
const data = createData(orm);
const store = await data.store();
const receiver = await startReceiver();
const env = {
  DATABASE_URL: urlOf(orm),
  CARTE_WEBHOOK_ALLOW_HTTP: 'on',
  CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32, ::1/128',
};
const webhook = (...args: readonly string[]) => run(['webhook', ...args], env);
const create = [
  'create',
  '--url',
  receiver.urlOf('/pos'),
  '--store',
  store.id,
  '--events',
  'order.placed, menu.changed',
];

test('an operation that this shell does not know says what to set', async () => {
  const { code, stderr } = await webhook(
    'create',
    '--url',
    receiver.urlOf('/own'),
    '--store',
    store.id,
    '--operation',
    'own',
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining('set CARTE_OPERATIONS to the folder that has it')]);
});

test('a webhook is created, tested, rotated, paused, resumed and removed by commands', async () => {
  const created = await webhook(...create);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/) });
  const secret = created.stdout.trim();
  const id = /The id of the webhook is (webhook_[0-9a-f]{12})\./.exec(created.stderr)?.[1] ?? '';

  const tested = await webhook('test', id);
  expect(tested.stdout).toMatch(/^The message msg_test_\S+ was delivered: status 200 after \d+ ms\.\n$/);
  expect(receiver.all[0] && verify(receiver.all[0], secret)).toMatchObject({ type: 'webhook.test' });

  const plain = await run(['webhook', 'test', id], { DATABASE_URL: urlOf(orm) });
  expect(plain.stderr).toMatch(/CARTE_WEBHOOK_ALLOW_HTTP=on\.\n$/);

  const row = `${id} +${receiver.urlOf('/pos')} +store ${store.id} +order.placed,menu.changed +- +never +-`;
  const list = async () => (await webhook('list')).stdout;
  expect(await list()).toMatch(new RegExp(`${row} +active\n`));
  expect((await webhook('pause', id)).stderr).toBe(`The webhook ${id} is paused.\n`);
  const loss =
    'Events that were deleted from the log before they were delivered: 2, from 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z.';
  await orm.em.fork().execute(`update webhook set lost_events = 2, lost_from = '2026-01-01Z', lost_to = '2026-01-02Z'`);
  expect(await list()).toMatch(new RegExp(`${row} +paused: ${loss}\n`));
  expect((await webhook('resume', id)).stderr).toBe(`The webhook ${id} is active.\nIts notice was: ${loss}\n`);
  const rotated = (await webhook('rotate', id)).stdout.trim();
  expect(rotated).not.toBe(secret);

  // Nothing serves this database, so the event is sent by the command alone.
  const [order] = await data.orders(store, 1);
  await sequenceEvents(queryIn(orm.em.fork()));
  const [event] = await orm.em.fork().execute('select position from event where order_id = ?', [order?.id]);
  const redelivered = await webhook('redeliver', id, `msg_${event?.position}`);
  expect(redelivered).toMatchObject({ code: 0, stdout: expect.stringContaining('was delivered') });
  const [, received] = receiver.all;
  for (const valid of [secret, rotated]) {
    expect(received && verify(received, valid)).toMatchObject({
      type: 'order.placed',
      data: { order: { id: order?.id } },
    });
  }
  expect((await webhook('deliveries', id)).stdout).toMatch(
    new RegExp(
      `${received?.headers['webhook-id']} +order.placed +${store.id} +${order?.id} .* 1 +delivered: status 200\n`,
    ),
  );

  expect((await webhook('redeliver', id, '--since', '2026-01-01')).stderr).toMatch(
    /^\d events are delivered again by the serving processes\.\n$/,
  );

  receiver.respond('/pos', 500);
  expect(await webhook('test', id)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /^carte: The message msg_test_\S+ was not delivered: the response has status 500\.\n$/,
    ),
  });
  expect((await webhook('remove', id)).stderr).toBe(`The webhook ${id} is removed.\n`);
  expect(await list()).toMatch(/ removed\n$/);
  expect(await list()).not.toContain('whsec_');
  expect((await webhook('test', id)).stderr).toBe(`carte: The webhook ${id} is removed; create a new one.\n`);
});

test.each([
  [
    ['create', '--url', 'https://127.0.0.2/', '--store', 'no-such', '--events', 'order.placed'],
    'There is no store "no-such".',
  ],
  [
    ['create', '--url', 'https://10.1.2.3/', '--store', store.id, '--events', 'order.placed'],
    '10.1.2.3 is not a public address',
  ],
  [[...create.slice(0, -1), 'order.eaten'], '"order.eaten" is not one of order.placed, order.changed, orders.changed,'],
  [['create', '--url', 'https://pos.invalid/', '--store', store.id, '--events', 'order.placed'], 'cannot be looked up'],
  [['pause', 'no-such'], 'There is no webhook no-such; `carte webhook list` shows them all.'],
  [['deliveries', 'no-such'], 'There is no webhook no-such'],
  [['redeliver', 'no-such', '--since', '2026-01-01'], 'There is no webhook no-such'],
  [['redeliver', 'no-such'], 'Name the message to send again, or the time with --since.'],
])('webhook %j reports the error', async (args, message) => {
  const { code, stdout, stderr } = await webhook(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
