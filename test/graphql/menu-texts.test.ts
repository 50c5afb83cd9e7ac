import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { menuTextLimits } from '../../src/limits.ts';
import { run } from '../cli/support.ts';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();

const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);
const item = (translations: object) => ({
  external_id: 'item',
  name: { translations },
  price: 100,
  tax: 0,
  sell_separately: true,
});
const period = (at: number) => {
  const minute = String(at % 60).padStart(2, '0');
  return { start_time: `${String(Math.floor(at / 60) % 24).padStart(2, '0')}:${minute}`, end_time: '23:59' };
};
const menuWith = (...availability: object[]) => ({
  external_id: 'menu',
  name: { translations: { en: 'Menu' } },
  category_external_ids: ['category'],
  availability,
});
const category = { external_id: 'category', name: { translations: { en: 'Category' } }, item_external_ids: ['item'] };
const bodyOf = (translations: object, ...availability: object[]) => ({
  items: [item(translations)],
  categories: [category],
  menus: [menuWith(...availability)],
});

async function post(body: object) {
  const store = await app.data.store();
  const path = `/v1/stores/${store.id}/menu_configuration/`;
  return { store, path, response: await app.post(path, body) };
}

/** As many languages as a menu may have, with `en`. */
const allLanguages = Object.fromEntries([...names(menuTextLimits.languages - 1), 'en'].map(key => [key, `in ${key}`]));

describe('What the texts and hours of a menu may have', () => {
  test('is 100 languages, keys of 64 characters, and 100 time periods on a day; it is returned as posted', async () => {
    const { languages, languageKey, periodsPerDay } = menuTextLimits;
    expect([languages, languageKey, periodsPerDay]).toEqual([100, 64, 100]);
    const longest = { ...allLanguages, ['k'.repeat(64)]: 'x' } as Record<string, string>;
    delete longest.a0;
    const days = ['MON', 'monday', 'no day'].map((day_of_week, at) => ({
      day_of_week,
      time_periods: Array.from({ length: at === 2 ? 100 : 50 }, (_, number) => period(number + 100 * at)),
    }));
    const body = bodyOf(longest, ...days);
    const { path, response } = await post(body);
    expect(response.status).toBe(200);
    const [menu] = (await app.get(path)).body.menu_configuration;
    expect(JSON.stringify(menu.availability)).toBe(JSON.stringify(days));
    expect(JSON.stringify(menu.categories[0].items[0].name.translations)).toBe(JSON.stringify(longest));
  });

  test.each([
    [
      'more languages',
      bodyOf({ ...allLanguages, more: 'x', most: 'y' }),
      {
        loc: ['body', 'items', 0, 'name', 'translations'],
        msg: 'The texts of the configuration have 102 languages; at most 100 are allowed',
        type: 'too_long',
      },
    ],
    [
      'a longer key',
      bodyOf({ en: 'x', ['k'.repeat(65)]: 'y' }),
      {
        loc: ['body', 'items', 0, 'name', 'translations', 'k'.repeat(65)],
        msg: 'The language key has 65 characters; at most 64 are allowed',
        type: 'string_too_long',
      },
    ],
    [
      'more periods on a day, over two entries of its list',
      bodyOf(
        { en: 'x' },
        { day_of_week: 'TUE', time_periods: Array.from({ length: 100 }, (_, at) => period(at)) },
        { day_of_week: 'Tuesday', time_periods: [period(100)] },
      ),
      {
        loc: ['body', 'menus', 0, 'availability', 1, 'time_periods'],
        msg: 'The menu has 101 time periods on "Tuesday"; at most 100 are allowed',
        type: 'too_long',
      },
    ],
    [
      'longer texts',
      bodyOf({ en: 'x'.repeat(60_000), pt: 'x'.repeat(40_001) }),
      {
        loc: ['body', 'items', 0, 'name', 'translations'],
        msg: 'The text has 100001 characters; at most 100000 are allowed',
        type: 'string_too_long',
      },
    ],
    [
      'longer allergens',
      { ...bodyOf({}), items: [{ ...item({}), allergens: 'x'.repeat(100_001) }] },
      {
        loc: ['body', 'items', 0, 'allergens'],
        msg: 'The text has 100001 characters; at most 100000 are allowed',
        type: 'string_too_long',
      },
    ],
    [
      'more days',
      bodyOf({ en: 'x' }, ...Array.from({ length: 1001 }, (_, at) => ({ day_of_week: `day ${at}`, time_periods: [] }))),
      {
        loc: ['body', 'menus', 0, 'availability'],
        msg: 'The menu lists 1001 days; at most 1000 are allowed',
        type: 'too_long',
      },
    ],
  ])('%s are 422, with other errors, and nothing is saved', async (_what, body, expected) => {
    const { path, response } = await post(body);
    expect([response.status, response.body.detail]).toEqual([422, [expected]]);
    const broken = { ...body, items: [...body.items, { ...item({}), external_id: 'other', price: 'x' }] };
    const { detail } = (await app.post(path, broken)).body;
    expect(detail).toContainEqual(expected);
    expect(detail).toContainEqual(expect.objectContaining({ loc: ['body', 'items', 1, 'price'] }));
    expect((await app.get(`${path}flat`)).body.items).toEqual([]);
  });
});

describe('A menu that was stored before these limits', async () => {
  const manyLanguages = Object.fromEntries([...names(9_998), `${'a-'.repeat(20_000)}b`].map(key => [key, `in ${key}`]));
  const translations = { en: 'Soup', ...manyLanguages };
  const availability = [
    { dayOfWeek: 'MON', timePeriods: Array.from({ length: 14_000 }, () => ({ startTime: '10:00', endTime: '11:00' })) },
  ];
  const { store, path } = await post(bodyOf({ en: 'Soup' }, { day_of_week: 'MON', time_periods: [period(0)] }));
  const [before] = await app.orm.em.fork().execute('select menu_revision from store where id = ?', [store.id]);
  await app.orm.em.fork().transactional(async tx => {
    await tx.execute('update menu_item set name = ? where store_id = ?', [JSON.stringify({ translations }), store.id]);
    await tx.execute('update menu set availability = ? where store_id = ?', [JSON.stringify(availability), store.id]);
  });

  test('is served as it was stored', async () => {
    const flat = (await app.get(`${path}flat`)).body;
    expect(JSON.stringify(flat.items[0].name.translations)).toBe(JSON.stringify(translations));
    expect(flat.menus[0].availability[0].time_periods).toHaveLength(14_000);
    const { body } = await app.graphql(
      `query ($id: ID!) { store(id: $id) {
        items { name { en: text(languages: ["en"]) last: text(languages: ["A9997"]) own: text(languages: ["a9997"]) } } menuLanguages
        menus(availableAt: "2026-11-16T10:30:00Z") { externalId } closed: menus(availableAt: "2026-11-16T11:30:00Z") { externalId }
      } }`,
      { id: store.id },
    );
    expect(body.data.store).toMatchObject({
      items: [{ name: { en: 'Soup', last: 'Soup', own: 'in a9997' } }],
      menus: [{ externalId: 'menu' }],
      closed: [],
    });
    expect(body.data.store.menuLanguages).toHaveLength(menuTextLimits.languages);
  });

  test('is compared, and restored', async () => {
    const mutation = `mutation ($id: ID!, $revision: SafeInt!) {
      restoreMenuConfiguration(input: { storeId: $id, revision: $revision }) { store { menuRevision } }
    }`;
    const { menuRevision } = (await app.graphql('query ($id: ID!) { store(id: $id) { menuRevision } }', store)).body
      .data.store;
    const text = (await app.get(path)).text;
    const { body } = await app.graphql(mutation, { id: store.id, revision: Number(before?.menu_revision) });
    expect(body.errors).toBeUndefined();
    expect((await app.get(path)).text).not.toBe(text);
    const changes = await app.graphql(
      `query ($id: ID!, $from: SafeInt!) { store(id: $id) { menuChanges(from: $from) { totalCount entities { externalId } } } }`,
      { id: store.id, from: menuRevision },
    );
    expect(changes.body.errors).toBeUndefined();
    expect(changes.body.data.store.menuChanges).toEqual({
      totalCount: 2,
      entities: [{ externalId: 'menu' }, { externalId: 'item' }],
    });
    const back = await app.graphql(mutation, { id: store.id, revision: menuRevision });
    expect(back.body.errors).toBeUndefined();
    expect((await app.get(path)).text).toBe(text);
  });

  test('is listed by `carte menu check`', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'menu-')), 'menu.json');
    writeFileSync(file, (await app.get(`${path}flat`)).text);
    const { code, stdout } = await run(['menu', 'check', file], {});
    expect(code).toBe(1);
    expect(stdout).toContain('have 10000 languages; at most 100 are allowed');
    expect(stdout).toContain('has 40001 characters; at most 64 are allowed');
    expect(stdout).toContain('has 14000 time periods on "MON"; at most 100 are allowed');
  });

  const tags = Array.from({ length: 20 }, (_, at) => `x${at}${'-y'.repeat(45)}`);

  /** The milliseconds of processor time that this process takes for a query, which is sent for the first time. */
  async function costOf(storeId: string, selection: (alias: string) => string) {
    const aliased = Array.from({ length: 99 }, (_, at) => selection(`a${at}`)).join(' ');
    const query = `query ($id: ID!, $tags: [String!] = []) {
      store(id: $id) { item(externalId: "item") { name { text(languages: $tags) } } ${aliased} }
    }`;
    const started = process.cpuUsage();
    const { body } = await app.graphql(query, { id: storeId, tags });
    const { user, system } = process.cpuUsage(started);
    expect(body.errors).toBeUndefined();
    return (user + system) / 1000;
  }

  // Before, these took hundreds of times as long as for a small menu.
  test.each([
    [
      'preferred languages',
      (alias: string) => `${alias}: item(externalId: "item") { name { text(languages: $tags) } }`,
    ],
    ['times', (alias: string) => `${alias}: menus(availableAt: "2026-11-16T12:30:00Z") { externalId }`],
  ])('costs little for %s', async (_what, selection) => {
    const small = (await post(bodyOf({ en: 'Soup' }))).store;
    for (const id of [small.id, store.id]) await costOf(id, alias => `${alias}: id`);
    const usual = await costOf(small.id, selection);
    expect(await costOf(store.id, selection)).toBeLessThan(3 * usual + 100);
  });
});

test('a language key that begins with ~ is the key of its own texts alone', async () => {
  const { store } = await post(bodyOf({ en: 'Soup', 'pt-BR': 'Sopa', pt: 'Caldo', '~pt': 'Tilde' }));
  const { store: other } = await post(bodyOf({ en: 'Soup', 'pt-BR': 'Sopa' }));
  const query = `query ($id: ID!, $languages: [String!]!) {
    store(id: $id) { items { name { text(languages: $languages) } } }
  }`;
  const read = async (id: string, ...languages: string[]) =>
    (await app.graphql(query, { id, languages })).body.data.store.items[0].name.text;
  for (let time = 0; time < 3; time++) {
    expect(await read(store.id, 'PT-br')).toBe('Sopa');
    expect(await read(store.id, '~pt')).toBe('Tilde');
    expect(await read(store.id, 'PT')).toBe('Caldo');
    expect(await read(other.id, '~pt', 'PT')).toBe('Sopa');
    expect(await read(other.id, '~pt')).toBe('Soup');
    expect(await read(other.id, 'PT')).toBe('Sopa');
  }
});
