import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { exampleSet, writeSet } from '../support/operations.ts';
import { run, temporaryFolder } from './support.ts';

/** A copy of the example whose files a function changes. */
function changedCopy(change: (text: string) => string): string {
  const folder = join(temporaryFolder('operations '), 'operations');
  cpSync(exampleSet, folder, { recursive: true });
  for (const file of ['website.graphql', 'delivery.graphql', 'kitchen.graphql']) {
    const path = join(folder, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
  return folder;
}

describe('carte operations', () => {
  test('check accepts the example, and reports the errors of another set with status 1', async () => {
    expect(await run(['operations', 'check', exampleSet], {})).toEqual({
      code: 0,
      stdout: 'operations: 5 routes, no errors\n',
      stderr: '',
    });
    const broken = writeSet('shop', { 'a.graphql': '\nquery a @route(path: "/shop") { shops { id } }' });
    const { code, stdout, stderr } = await run(['operations', 'check', exampleSet, broken], {});
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      'shop/a.graphql:2: Cannot query field "shops" on type "Query". Did you mean "store" or "stores"?\n',
    );
  });

  test('check and list have the messages, too', async () => {
    const platform = fileURLToPath(new URL('../../examples/flat-pos', import.meta.url));
    const { stdout } = await run(['operations', 'check', platform], {});
    expect(stdout).toMatch(/^flat-pos: \d+ routes, 1 message, no errors\n$/);
    const listed = await run(['operations', 'list'], { CARTE_OPERATIONS: platform });
    expect(listed.stdout).toMatch(/^flat-pos +notifyFlatTicket +message +- +ORDER_PLACED,ORDER_CHANGED$/m);
  });

  test('list and routes have the operations of all sets', async () => {
    const { stdout } = await run(['operations', 'list'], { CARTE_OPERATIONS: exampleSet });
    expect(stdout).toMatch(/^v1 +getStore +query +GET +\/v1\/stores\/\{store_service_id\}$/m);
    expect(stdout).toMatch(/^operations +markKitchenOrders +mutation +POST +\/kitchen\/orders\/printed$/m);
    const routes = await run(['routes'], { CARTE_OPERATIONS: exampleSet });
    expect(routes.stdout).toMatch(/^POST +\/kitchen\/orders\/printed +markKitchenOrders$/m);
  });

  test('list has what is deprecated, check names a date that is none, and diff a removal before its time', async () => {
    const text = (mark: string) =>
      `query shopOf($id: ID!) @route(path: "/shop/{id}") ${mark} { store(id: $id) { id } }
       query listShops @route(path: "/shops") @deprecated(reason: "Use shopOf.") { stores { totalCount } }`;
    const shop = writeSet('shop', { 'a.graphql': text('@deprecated(reason: "It closes.", sunset: "2099-06-30")') });
    const listed = await run(['operations', 'list'], { CARTE_OPERATIONS: shop });
    expect(listed.stdout).toMatch(/^shop +shopOf +query +GET +\/shop\/\{id\} +deprecated until 2099-06-30$/m);
    expect(listed.stdout).toMatch(/^shop +listShops +query +GET +\/shops +deprecated$/m);
    expect(listed.stdout).toMatch(/^v1 +getStore +query +GET +\/v1\/stores\/\{store_service_id\}$/m);
    const invalid = writeSet('shop', { 'a.graphql': text('@deprecated(sunset: "2099-06-31")') });
    const { code, stderr } = await run(['operations', 'check', invalid], {});
    expect(code).toBe(1);
    expect(stderr).toContain('"2099-06-31" is no day; write `sunset` of @deprecated as "2027-06-30".');
    const closed = writeSet('shop', { 'a.graphql': 'query a @route(path: "/a") { stores { totalCount } }' });
    const diff = await run(['operations', 'diff', shop, closed], {});
    expect([diff.code, diff.stdout.split('\n').slice(0, 2)]).toEqual([
      1,
      [
        'BREAKING  shopOf (GET /shop/{id}) was removed, before the announced 2099-06-30.',
        'BREAKING  listShops (GET /shops) was removed.',
      ],
    ]);
  });

  test('derive writes the schema that is committed beside the example', async () => {
    const folder = changedCopy(text => text);
    writeFileSync(join(folder, 'derived.graphql'), '');
    expect((await run(['operations', 'derive', folder], {})).code).toBe(0);
    const derived = readFileSync(join(folder, 'derived.graphql'), 'utf8');
    await expect(derived).toMatchFileSnapshot('../../examples/operations/derived.graphql');
  });

  test('diff tells what breaks callers from what does not', async () => {
    const same = await run(['operations', 'diff', exampleSet, changedCopy(text => text)], {});
    expect([same.code, same.stdout]).toEqual([0, 'Nothing changes for callers.\n']);

    const added = changedCopy(text => text.replace('note: customerComments', 'note: customerComments\n  statusReason'));
    const safe = await run(['operations', 'diff', exampleSet, added], {});
    expect([safe.code, safe.stdout]).toEqual([0, 'safe      KitchenOrder.statusReason is new.\n']);

    const changed = changedCopy(text =>
      text
        .replace('path: "/kitchen/orders/{order_id}"', 'path: "/kitchen/order/{order_id}"')
        .replace('max: 100', 'max: 50')
        .replace('$limit: Int = 20', '$limit: Int = 10')
        .replace('  note: customerComments\n', '')
        .replace('priceInCents: price ', 'priceInCents: price @optional ')
        .replace('getOpeningHours', 'getHours'),
    );
    const { code, stdout, stderr } = await run(['operations', 'diff', exampleSet, changed], {});
    expect(stdout.split('\n')).toEqual([
      'BREAKING  listKitchenOrders: limit is now at most 50.',
      'BREAKING  listKitchenOrders: limit, if it is not given, was 20, and is 10.',
      'BREAKING  getKitchenOrder was GET /kitchen/orders/{order_id}, and is GET /kitchen/order/{order_id}.',
      'BREAKING  getOpeningHours (GET /website/stores/{store_id}/opening-hours) was removed.',
      'BREAKING  DeliveryProduct.priceInCents changed type from SafeInt! to SafeInt.',
      'BREAKING  KitchenOrder.note was removed.',
      'safe      getHours (GET /website/stores/{store_id}/opening-hours) is new.',
      '',
    ]);
    expect([code, stderr]).toEqual([1, 'carte: 6 of the changes break callers.\n']);
    const builtIn = fileURLToPath(new URL('../../schema/pos', import.meta.url));
    expect((await run(['operations', 'diff', builtIn, builtIn], {})).stdout).toBe('Nothing changes for callers.\n');
  });
});

test('diff finds what a mapping breaks', async () => {
  const platform = fileURLToPath(new URL('../../examples/flat-pos', import.meta.url));
  const next = join(temporaryFolder('operations '), 'flat-pos');
  cpSync(platform, next, { recursive: true });
  for (const file of ['records.graphql', 'tickets.graphql']) {
    const text = readFileSync(join(next, file), 'utf8')
      .replace('PREP: Int @to(path: "preparationMinutes")', 'PREP_TIME: Int @to(path: "preparationMinutes")')
      .replace('PRICE: String! @to(path: "price") @decimal', 'PRICE: String! @to(path: "price") @decimal(digits: 3)')
      .replace('{ of: FULFILLED, as: 3 }, { of: STORE_CANCELLED', '{ of: FULFILLED, as: 4 }, { of: STORE_CANCELLED')
      .replace('events: [ORDER_PLACED, ORDER_CHANGED]', 'events: [ORDER_PLACED]')
      .replace(/ {2}"The tip.*\n {2}TIP: .*\n/, '')
      .replace('  $tip: SafeInt\n', '')
      .replace('      tip: $tip\n', '');
    writeFileSync(join(next, file), text);
  }
  const { code, stdout } = await run(['operations', 'diff', platform, next], {});
  expect([code, stdout.split('\n').filter(line => line.startsWith('BREAKING'))]).toEqual([
    1,
    [
      'BREAKING  setFlatState: STATE: 3 was "FULFILLED", and is unknown.',
      'BREAKING  notifyFlatTicket is no longer the message of ORDER_CHANGED.',
      'BREAKING  FlatPlu.PRICE was mapped by @decimal(digits: 2, isText: false) @to(path: "price"), and is by @decimal(digits: 3, isText: false) @to(path: "price").',
      'BREAKING  addFlatTicket parameter TIP was removed.',
      'BREAKING  FlatPlu.PREP was removed.',
    ],
  ]);
});

test('diff finds nothing that breaks where a body takes more', async () => {
  const platform = fileURLToPath(new URL('../../examples/flat-pos', import.meta.url));
  const old = join(temporaryFolder('operations '), 'flat-pos');
  cpSync(platform, old, { recursive: true });
  const file = join(old, 'tickets.graphql');
  const text = readFileSync(file, 'utf8')
    .replace(/ {2}"The tip.*\n {2}TIP: .*\n/, '')
    .replace('  $tip: SafeInt\n', '')
    .replace('      tip: $tip\n', '');
  writeFileSync(file, text);
  const { code, stdout } = await run(['operations', 'diff', old, platform], {});
  expect([code, stdout]).toEqual([0, 'safe      An optional parameter TIP on addFlatTicket was added.\n']);
});

test('carte openapi --set prints the document of a set', async () => {
  const env = { CARTE_OPERATIONS: exampleSet };
  const { stdout } = await run(['openapi', '--set', 'operations'], env);
  expect(JSON.parse(stdout).info.title).toBe('Carte examples');
  expect(JSON.parse(stdout).info.license).toEqual({
    ...{ name: 'Up to the operator of this service', identifier: 'LicenseRef-Operator' },
  });
  const own = writeSet('own', {
    'a.graphql': `extend schema @interface(title: "Own", description: "Own.", tags: [], license: { name: "CC BY 4.0", identifier: "CC-BY-4.0" })
query menuOfAStore($id: ID!) @route(path: "/own/{id}") { store(id: $id) { id } }`,
  });
  const described = JSON.parse((await run(['openapi', '--set', 'own'], { CARTE_OPERATIONS: own })).stdout);
  expect(described.info.license).toEqual({ name: 'CC BY 4.0', identifier: 'CC-BY-4.0' });
  expect(described.paths['/own/{id}'].get.summary).toBe('Menu of a store');
  const postman = await run(['openapi', '--set', 'operations', '--postman'], env);
  expect(JSON.parse(postman.stdout).item).toHaveLength(3);
  const unknown = await run(['openapi', '--set', 'shop'], env);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/^carte: There is no set "shop", only v1,.* operations\.\n$/),
  ]);
});
