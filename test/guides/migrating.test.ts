import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { blocksOf, openShell } from '../support/commands.ts';
import { urlOf } from '../support/url.ts';

const missing = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error);
const root = fileURLToPath(new URL('../../', import.meta.url));
const blocks = blocksOf('docs/migrating.md');

/** Leaves two pages of orders to one store, and what the document compares to the others. */
const deleteMostOrders = `delete from orders where id in (
  select id from (select id, store_id, row_number() over (partition by store_id order by created_at) from orders) o
  where row_number > case store_id when 'lisbon-baixa' then 101 else 25 end)`;

describe.skipIf(missing.length > 0)(
  `docs/migrating.md (missing here: ${missing.join(', ') || 'nothing'})`,
  async () => {
    const [old, fresh] = await Promise.all([startApp(), startApp()]);

    test('its commands move a service to another, and print what the document shows', {
      timeout: 240_000,
    }, async () => {
      const key = await loadDemo(old.orm);
      await old.orm.em.fork().execute(deleteMostOrders);
      const env = { OLD_URL: old.url, CARTE_OLD_KEY: key, NEW_URL: fresh.url, DATABASE_URL: urlOf(fresh.orm) };
      const shell = await openShell(root, { env, throughNpm: false });
      onTestFinished(() => shell.close());
      for (const { text, printed = '' } of blocks) {
        expect(await shell.run(text, { mayFail: true })).toBe(printed);
      }
      const orders = await fresh.orm.em.fork().execute('select count(*)::int as n from orders');
      expect(orders).toEqual([{ n: 101 + 3 * 25 }]);
      const keys = await fresh.orm.em
        .fork()
        .execute<object[]>("select name from api_key where name <> 'test' and revoked_at is null order by name");
      expect(keys).toEqual(
        ['brooklyn-dumbo', 'lisbon-baixa', 'mexico-roma', 'tokyo-yanaka'].map(store => ({ name: `till of ${store}` })),
      );
    });
  },
);
