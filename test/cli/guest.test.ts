import { expect, onTestFinished, test } from 'vitest';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { guest as data, textColumns, traces } from '../support/guest.ts';
import { urlOf } from '../support/url.ts';
import { run } from './support.ts';

const orm = await createDatabase();
const { merchant, store, orders } = createData(orm);
const { id: merchantId } = await merchant();
const [first, second] = [
  await store({ id: 'a', merchant: merchantId }),
  await store({ id: 'b', merchant: merchantId }),
];
await orders(first, 2, data);
await orders(second, 1, {
  ...data,
  customerPhone: '919000777',
  customerComments: '=HYPERLINK("x")\n"é"',
  service: { table: '+1-2' },
});
await orders(await store(), 1, { ...data, customerPhone: '00351 919 000 777' });
await orders(first, 1, { customerPhone: '351919000770' });

const guest = (args: readonly string[], input = '') => run(['guest', ...args], { DATABASE_URL: urlOf(orm) }, input);
const inMerchant = ['--merchant', merchantId];
const exact = ['--phone', '351 919 000 777', '--phone', '919000777'];

test('find lists the spellings of a number, whichever of them is given', async () => {
  const { code, stdout } = await guest(['find', '--phone', '(0)919 000 777', '--phone', '351919000777', '--all']);
  expect(code).toBe(0);
  const [title, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/));
  expect(title).toEqual(['PHONE', 'DIGITS', 'ORDERS', 'STORES', 'FIRST', 'LAST']);
  expect(rows.map(row => row.slice(0, 4))).toEqual([
    ['+351 919 000 777', '351919000777', '2', '1'],
    ['00351 919 000 777', '00351919000777', '1', '1'],
    ['919000777', '919000777', '1', '1'],
  ]);
  const ofMerchant = await guest(['find', '--phone', '919000777', ...inMerchant]);
  expect(ofMerchant.stdout.split('\n')).toHaveLength(4);
  expect((await guest(['find', '--phone', '2222222', '--all'])).stderr).toContain('No order has');
});

test('export prints the orders as JSON, and as CSV for spreadsheets', async () => {
  const json = await guest(['export', ...exact, ...inMerchant]);
  const exported = JSON.parse(json.stdout);
  expect(exported).toHaveLength(3);
  expect(exported[0]).toMatchObject({
    customer: { name: 'Zenobia Quist', phone: '+351 919 000 777' },
    address: { address_line_1: 'Rua Zenobia 1' },
    payments: [{ reference: 'pi_zenobia' }],
  });
  expect(json.stderr).toBe('3 orders exported.\n');

  const { stdout: csv } = await guest(['export', ...exact, ...inMerchant, '--format', 'csv']);
  expect(csv.slice(0, 40)).toMatch(/^\ufeffcreated_at,id,/);
  const [columns = [], ...rows] = parseCsv(csv.slice(1));
  expect(rows).toHaveLength(3);
  const last = Object.fromEntries(columns.map((column, index) => [column, rows[2]?.[index]]));
  expect(last).toMatchObject({
    'customer.name': 'Zenobia Quist',
    'customer.phone': '919000777',
    customer_comments: `'=HYPERLINK("x")\n"é"`,
    table: "'+1-2",
  });
  expect(rows[0]).toEqual(expect.arrayContaining(['+351 919 000 777', 'bell of Quist']));
  expect(JSON.parse(String(last.items))).toHaveLength(3);
});

/** A reader of RFC 4180. */
function parseCsv(text: string): string[][] {
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g);
  const rows: string[][] = [[]];
  for (const [whole, quoted, plain, end] of cells) {
    if (whole === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') rows.push([]);
  }
  return rows.filter(row => row.length > 0);
}

const places = [
  'orders.customer_name',
  'orders.customer_phone',
  'orders.customer_comments',
  'orders.items',
  'orders.service',
  'orders.steps',
  'orders.customer_name_folded',
  'orders.phone_reversed',
];

// A new column is here, or in the guest of the tests, and in what is emptied.
test('the other columns of the tables of orders have nothing of a guest', async () => {
  const others = (await textColumns(operatorFork(orm))).filter(column => !places.includes(column));
  expect(others.filter(column => !/\.(id|\w+_id|kind|status|status_before|state)$/.test(column))).toEqual([
    'guest_token.hash',
    'order_idempotency_key.key',
    'order_idempotency_key.request_hash',
    'orders.service_type',
    'orders.placed_by',
    'webhook_delivery.error',
  ]);
});

test.each([
  [['--phone', '000777', '--all'], 'telephone number 1 has 6 digits; the whole number has 7 to 99'],
  [['--phone', '19000777', '--all'], 'telephone number 1 is only the end of others; give all digits'],
  [['--phone', '919000777'], 'neither a merchant nor all is given; give one of them'],
  [['--phone', '919000777', '--merchant', 'nobody'], 'no merchant has the id "nobody"'],
])('erase refuses %j', async (args, reason) => {
  const { code, stderr } = await guest(['erase', '--yes', ...args]);
  expect(code).toBe(1);
  expect(stderr).toContain(`carte: ${reason}`);
  expect((await traces(operatorFork(orm))).toSorted()).toEqual(places.toSorted());
});

test('an erasure shows its progress, ends after a batch at SIGINT, and is completed by repeating it', async () => {
  await orders(first, 300, { customerPhone: '5550001111' });
  const left = async () =>
    (await orm.em.fork().execute("select from orders where phone_reversed = '1111000555'")).length;
  const { isTTY } = process.stderr;
  onTestFinished(() => void Object.assign(process.stderr, { isTTY }));
  Object.assign(process.stderr, { isTTY: true });
  const args = ['erase', '--phone', '5550001111', ...inMerchant, '--yes'];
  const others = process.listeners('SIGINT');
  const interrupted = guest(args);
  await expect.poll(left, { interval: 1 }).toBeLessThan(300);
  // The libraries of tests that this process ran before have listeners that end it.
  const listeners = process.listeners('SIGINT').filter(listener => !others.includes(listener));
  for (const listener of listeners) listener('SIGINT');
  const { code, stderr } = await interrupted;
  const rest = await left();
  expect(code).toBe(130);
  expect(rest).toBeGreaterThan(0);
  expect(stderr).toMatch(new RegExp(`\\[#+ +\\] ${300 - rest} of 300 orders`));
  expect(stderr).toContain(`carte: Interrupted after ${300 - rest} orders. Repeat the command to erase the rest.\n`);
  expect((await guest(args)).stderr).toContain(`Erased the guest in ${rest} orders at 1 store`);
  expect(process.listeners('SIGINT')).toEqual(others);
});

test('erase asks first, names the spellings that stay, and says what it did', async () => {
  const asked = await guest(['erase', ...exact, ...inMerchant], 'no\n');
  expect(asked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('3 orders at 2 stores, 3 of them not completed yet.'),
  });
  expect(asked.stderr).toContain('carte: Nothing was changed');
  expect((await guest(['erase', ...exact, ...inMerchant])).code).toBe(1);
  expect(await traces(operatorFork(orm))).toHaveLength(places.length);

  const erased = await guest(['erase', ...exact, ...inMerchant], 'yes\n');
  expect(erased).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Erased the guest in 3 orders at 2 stores, in \d+\.\d s\.\n$/),
  });
  const rest = await guest(['erase', '--phone', '919000777', '--phone', '00351919000777', '--all', '--yes']);
  expect(rest.stderr).toContain('Erased the guest in 1 order at 1 store');
  expect(await traces(operatorFork(orm))).toEqual([]);
  expect((await guest(['erase', ...exact, '--all', '--yes'])).stderr).toContain('nothing was changed');
});
