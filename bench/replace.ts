import { readOptions } from '../support/options.ts';
import { sendExpecting } from './support/client.ts';
import { menuOf } from './support/menu.ts';
import { median } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const { entities: given } = readOptions(`Measures POST of a menu configuration by its size.`, {
  entities: '50,1000,10000',
});
const rounds = 5;

/** For every ten entities one category, five items, one group and three modifier items; the menu takes the place of a category. */
function configuration(entities: number, mark: string) {
  const tenth = Math.max(1, Math.floor(entities / 10));
  const shape = { menus: 1, categories: Math.max(1, tenth - 1), items: tenth * 5, groups: tenth };
  return menuOf({ ...shape, groupsAnItem: 1, modifiersAGroup: 3 }, { seed: 'replace', mark });
}

const sizes = given.split(',').map(Number);
const storeIds = sizes.flatMap(size => Array.from({ length: rounds }, (_, round) => `${size}-${round}`));

async function main({ client, query }: Service): Promise<void> {
  const drawn = async () => {
    const tables = ['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];
    const counts = tables.map(table => `(select case when is_called then last_value else 0 end from ${table}_id_seq)`);
    const [row] = await query(`select ${counts.join(' + ')} as n`);
    return Number(row?.n);
  };
  const post = async (store: string, body: string) => {
    const before = await drawn();
    const { begun, ended } = await sendExpecting(
      client,
      { path: `/v1/stores/${store}/menu_configuration/`, body },
      200,
    );
    return { ms: ended - begun, ids: (await drawn()) - before };
  };

  await post(String(storeIds[0]), JSON.stringify(configuration(10, 'warm')));
  const rows: Record<string, string | number>[] = [];
  for (const size of sizes) {
    const one = JSON.stringify(configuration(size, 'one'));
    const two = JSON.stringify(configuration(size, 'two'));
    const measured = { first: [] as number[], again: [] as number[], changed: [] as number[] };
    const ids = { first: 0, again: 0, changed: 0 };
    for (let round = 0; round < rounds; round++) {
      for (const [kind, body] of [
        ['first', one],
        ['again', one],
        ['changed', two],
      ] as const) {
        const result = await post(`${size}-${round}`, body);
        measured[kind].push(result.ms);
        ids[kind] = result.ids;
      }
    }
    rows.push({
      entities: size,
      'body KB': Math.round(one.length / 1024),
      'first ms': median(measured.first).toFixed(1),
      'again ms': median(measured.again).toFixed(1),
      'all changed ms': median(measured.changed).toFixed(1),
      'ids allocated': `${ids.first} / ${ids.again} / ${ids.changed}`,
    });
  }
  console.table(rows);
}

await withService({ storeIds, connections: 1 }, main);
