import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';
import { urlOf } from '../support/url.ts';
import { run, temporaryFolder } from './support.ts';

const app = await sharedApp();
const env = { DATABASE_URL: urlOf(app.orm) };
const store = await app.data.store({ id: 'cafe-norte', timezone: 'Asia/Tokyo', currency: 'JPY' });
const path = `/v1/stores/${store.id}/menu_configuration/`;
const key = await app.newKey({ name: 'レジ 3', storeIds: [store.id] });
const menu = (...args: readonly string[]) => run(['menu', ...args], env);
const post = async (body: unknown) => expect((await app.post(path, body, { 'x-api-key': key })).status).toBe(200);

/** The newest first. */
const entries = async (): Promise<{ readonly revision: number }[]> =>
  JSON.parse((await menu('history', store.id, '--json')).stdout);
const revisions = async () => (await entries()).map(({ revision }) => revision);

describe('carte menu', () => {
  test('history, diff, show, export and restore lead from a wrong price back to the menu of before', async () => {
    const body = fullBody();
    await post(body);
    const [espresso, water] = body.items;
    await post({
      ...body,
      items: [{ ...espresso, price: 1800, name: { translations: { ar: 'قهوة\u001b[31m' } } }, water],
    });
    const before = (await app.get(path)).body;
    const list = await entries();
    expect(list[0]).toMatchObject({ changes: [{ kind: 'ITEM', added: 0, changed: 1, removed: 0 }] });
    const [latest, original] = list.map(({ revision }) => revision);

    const history = await menu('history', store.id);
    expect(history.stdout).toMatch(/^REVISION +TIME \(Asia\/Tokyo\) +SOURCE +KEY +CHANGES\n/);
    expect(history.stdout).toMatch(
      new RegExp(`\n${latest}  \\w{3} [-0-9]{10} [:0-9]{8} +POST +レジ 3  1 item changed\n${original}`),
    );

    const diff = await menu('diff', store.id);
    expect(diff.stdout).toBe(
      [
        'All day › Coffee',
        '  ~ \u2068قهوة\ufffd[31m\u2069  name (ar)     none → \u2068قهوة\ufffd[31m\u2069',
        '               name (en)     Espresso → none',
        '               name (es_es)  Espresso ñ → none',
        '               price         ¥180 → ¥1,800',
        '',
      ].join('\n'),
    );
    expect(diff.stderr).toBe(`1 item changed, from revision ${original} to ${latest}.\n`);
    const json = JSON.parse((await menu('diff', store.id, `${original}`, `${latest}`, '--json')).stdout);
    expect(json).toMatchObject({ from: original, to: latest, changes: [{ kind: 'ITEM', externalId: 'espresso' }] });

    expect((await menu('show', store.id, '--revision', `${original}`)).stdout).toMatch(
      /^All day {2}MON 08:00–17:30\n\n {2}Coffee\n {4}Espresso {2}¥180 {2}sold out, vegan, gluten free\n {6}Cup \(choose 0–1\): To go -¥20\n/,
    );

    const exported = (await menu('export', store.id, '--revision', `${original}`)).stdout;
    const file = join(temporaryFolder(), 'menu.json');
    writeFileSync(file, exported);
    expect((await run(['menu', 'check', file], {})).code).toBe(0);

    const dryRun = await menu('restore', store.id, `${original}`, '--dry-run');
    expect(dryRun.stdout).toContain('price         ¥1,800 → ¥180\n');
    expect(dryRun.stderr).toBe('Dry run: 1 item changed. Nothing was written.\n');
    expect((await app.get(path)).body).toEqual(before);

    const restored = await menu('restore', store.id, `${original}`);
    expect(restored.stdout).toBe(dryRun.stdout);
    const newest = (await menu('history', store.id, '--limit', '1')).stdout;
    expect(newest).toMatch(/ RESTORE +– +1 item changed\n$/);
    const current = /^\d+/m.exec(newest)?.[0];
    expect(restored.stderr).toBe(`1 item changed. The menu of ${store.id} is now at revision ${current}.\n`);

    await post(JSON.parse(exported));
    expect((await menu('export', store.id)).stdout).toBe(exported);
    const again = await menu('restore', store.id, `${original}`);
    expect(again).toEqual({
      code: 0,
      stdout: '',
      stderr: `Nothing changed. The menu of ${store.id} stays at revision ${current}.\n`,
    });
  });

  test('diff counts what is only written differently', async () => {
    const { items, ...lists } = fullBody();
    const name = { translations: { es_es: 'Water ñ', en: 'Water' } };
    await post({ ...lists, items: items.map(item => (item.external_id === 'water' ? { ...item, name } : item)) });
    expect(await menu('diff', store.id)).toMatchObject({ stdout: 'Only written differently: 1 (--json lists them)\n' });
  });

  test('names what there is not, and what there is instead', async () => {
    const empty = await app.data.store({ id: 'empty' });
    const [current = 0] = await revisions();
    const errorOf = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await menu(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      return stderr;
    };
    expect(await errorOf('show', 'cafe-nort')).toBe('carte: There is no store "cafe-nort"; did you mean cafe-norte?\n');
    expect(await errorOf('history', 'xyz')).toBe('carte: There is no store "xyz".\n');
    expect(await errorOf('export', empty.id)).toBe('carte: The store empty has no menu yet.\n');
    expect(await errorOf('diff', store.id, '7')).toBe(
      `carte: this menu has no revision 7; the current one is ${current}\n`,
    );
    expect(await errorOf('restore', store.id, `${current + 1}`)).toBe(
      `carte: this menu has no revision ${current + 1}; the current one is ${current}\n`,
    );
    expect(await errorOf('diff', store.id, `${current}`, '7')).toBe(
      `carte: Revision ${current} is later than 7; put the earlier one first.\n`,
    );
    expect(await errorOf('restore', store.id, 'yesterday')).toContain('Expected a revision such as ');
  });
});
