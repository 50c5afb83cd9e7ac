import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { order } from '../support/data.ts';
import { fullBody } from '../support/menu-body.ts';
import { saveOrders } from '../support/orders.ts';
import { run } from './support.ts';

type App = Awaited<ReturnType<typeof startApp>>;

/** The same restaurants in every service, unless told otherwise. */
async function furnish(
  { data, orm, post }: App,
  { menu = fullBody(), timezone = 'Asia/Tokyo' as string | null, orders = 3 } = {},
) {
  const merchant = (await data.merchant({ id: 'm1' })).id;
  await data.store({ id: 's1', merchant, timezone });
  await data.store({ id: 's2', merchant });
  await saveOrders(
    orm,
    Array.from({ length: orders }, (_, nth) => order('s1', { id: `o${nth}` })),
  );
  expect((await post('/v1/stores/s1/menu_configuration/', menu)).status).toBe(200);
}

const compare = (old: App, fresh: App, ...args: readonly string[]) =>
  run(['compare', '--old', old.url, '--new', fresh.url, ...args], { CARTE_OLD_KEY: old.key, CARTE_NEW_KEY: fresh.key });

const [old, same, changed] = await Promise.all([startApp(), startApp(), startApp()]);

beforeAll(async () => {
  // A menu that is gone again makes the numbers of the old service differ from those of the others.
  const gone = await old.data.store({ id: 'gone', merchant: null });
  await old.data.menu(gone);
  await old.orm.em.fork().execute('delete from store');
  const menu = fullBody();
  const dearer = menu.modifier_items.map(item => ({ ...item, price_change: -10 }));
  await furnish(old);
  await furnish(same);
  await furnish(changed, { menu: { ...menu, modifier_items: dearer }, timezone: null, orders: 2 });
});

describe('carte compare', () => {
  test('finds no difference between services with equal responses, on all eight routes', async () => {
    const { code, stdout, stderr } = await compare(old, same);
    expect(stderr).toBe('The services agree: 14 responses compared, 0 differences.\n');
    expect(code).toBe(0);
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows).toHaveLength(8);
    for (const row of rows) expect(row).toMatch(/^GET \/v1\/\S+ +[1-9]\d* +0$/);
  });

  test('compares the routes of further sets by --set', async () => {
    const ignored = ['listEvents.next', 'listStoreEvents.next'].flatMap(field => ['--ignore', field]);
    const { stdout, stderr } = await compare(old, same, '--set', 'pos', ...ignored);
    expect(stderr).toBe('The services agree: 23 responses compared, 0 differences.\n');
    expect(stdout).toMatch(/^GET \/pos\/v1\/stores\/\{store_service_id\}\/events +2 +0$/m);
    expect((await compare(old, same, '--set', 'shop')).stderr).toMatch(/^carte: There is no set "shop", only v1, pos/);
  });

  test('finds a value, a field and a thing that differ, each once, with every route that shows it', async () => {
    const { code, stdout } = await compare(old, changed, '--json');
    expect(code).toBe(1);
    const { complete, differences } = JSON.parse(stdout);
    const routes = (seen: { route: string; times: number }[]) => seen.map(({ route, times }) => [route, times]);
    expect(complete).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is asserted
    expect(differences.map(({ seen, ...difference }: any) => ({ ...difference, seen: routes(seen) }))).toEqual([
      {
        name: 'ModifierItem.price_change',
        kind: 'value',
        subject: { type: 'ModifierItem', id: 'to-go', store: 's1' },
        old: -20,
        new: -10,
        seen: [
          ['GET /v1/stores/{store_service_id}/menu_configuration/', 1],
          ['GET /v1/stores/{store_service_id}/menu_configuration/flat', 1],
        ],
      },
      {
        name: 'Order',
        kind: 'missing',
        subject: { type: 'Order', id: 'o2' },
        old: 'o2',
        seen: [['GET /v1/stores/{store_service_id}/orders/', 1]],
      },
      {
        name: 'Store.timezone',
        kind: 'shape',
        subject: { type: 'Store', id: 's1' },
        old: 'Asia/Tokyo',
        seen: [
          ['GET /v1/stores/{store_service_id}', 1],
          ['GET /v1/stores/', 1],
        ],
      },
    ]);
  });

  test('shows them with the request, the place in the body and both values', async () => {
    const { code, stdout, stderr } = await compare(old, changed);
    expect(code).toBe(1);
    expect(stderr).toBe('carte: The services differ: 13 responses compared, 3 differences.\n');
    expect(stdout).toContain(
      [
        'ModifierItem.price_change (value): 1 difference',
        '  ModifierItem to-go of store s1',
        '    GET /v1/stores/s1/menu_configuration/  $.menu_configuration[0].categories[0].items[0].modifier_groups[0].modifier_items[0].price_change',
        '      old  -20',
        '      new  -10',
        '    also 1 time in GET /v1/stores/{store_service_id}/menu_configuration/flat',
      ].join('\n'),
    );
    expect(stdout).toMatch(/^GET \/v1\/merchants\/ +1 +0$/m);
    expect(stdout).toMatch(/^GET \/v1\/stores\/\{store_service_id\} +2 +1$/m);
  });

  test('excludes fields by --ignore, and compares single stores by --store', async () => {
    const ignored = ['--ignore', 'ModifierItem.price_change', '--ignore', 'Order', '--ignore', 'Store.timezone'];
    expect(await compare(old, changed, ...ignored)).toMatchObject({ code: 0 });
    const { code, stdout } = await compare(old, changed, '--store', 's2', '--orders', '0');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GET \/v1\/stores\/ +0 +0$/m);
    expect(stdout).toMatch(/^GET \/v1\/stores\/\{store_service_id\} +1 +0$/m);
  });

  test('with --ids compares the numbers that the services gave to the parts of menus', async () => {
    const { code, stdout } = await compare(old, same, '--ids');
    expect(code).toBe(1);
    expect(stdout).toContain('MenuItem.id (value): 2 differences');
  });

  test('requests an order by id if the limit hides it in the list', async () => {
    const { stdout } = await compare(old, changed, '--orders', '1', '--json');
    const { routes, differences } = JSON.parse(stdout);
    expect(routes.find(({ route }: { route: string }) => route.endsWith('/orders/'))).toMatchObject({ cut: 1 });
    expect(differences.map(({ name, kind }: { name: string; kind: string }) => [name, kind])).toContainEqual([
      'Order',
      'missing',
    ]);
  });

  test('reports an unreachable service and a rejected key with exit status 2, and never prints the key', async () => {
    const args = ['compare', '--old', 'http://127.0.0.1:9', '--new', same.url];
    const { code, stdout, stderr } = await run(args, { CARTE_OLD_KEY: 'secret-1', CARTE_NEW_KEY: 'secret-2' });
    expect({ code, stdout, lines: stderr.split('\n') }).toEqual({
      code: 2,
      stdout: '',
      lines: [
        expect.stringMatching(/^carte: The old service at http:\/\/127\.0\.0\.1:9 cannot be reached: /),
        'carte: The new service rejects the key (401).',
        '',
      ],
    });
  });

  test.each([
    [['--store', 'no-such'], 'carte: Neither service has the store no-such.'],
    [
      ['--new', 'http://u:secret@h'],
      'carte: The URL of the new service must be http or https, without credentials, query and fragment.',
    ],
    [
      ['--orders', 'many'],
      "error: option '--orders <n>' argument 'many' is invalid. Expected a whole number from 0 to 999999999.",
    ],
  ])('%j is refused with status 2', async (args, message) => {
    const { code, stderr } = await compare(old, same, ...args);
    expect({ code, line: stderr.split('\n')[0] }).toEqual({ code: 2, line: message });
  });
});
