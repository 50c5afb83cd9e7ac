/**
 * Measures POST of a menu configuration by its size:
 *   npx node bench/replace.ts [--entities 50,1000,10000]
 * It starts its own server and database and prints a table.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../src/database/embedded.ts';
import { carte, startServer, stopServer } from '../support/servers.ts';
import { menuOf } from './support/menu.ts';
import { median } from './support/meter.ts';

const { values } = parseArgs({ options: { entities: { type: 'string', default: '50,1000,10000' } } });
const rounds = 5;

/** For every ten entities one category, five items, one group and three modifier items; the menu takes the place of a category. */
function configuration(entities: number, mark: string) {
  const tenth = Math.max(1, Math.floor(entities / 10));
  const shape = { menus: 1, categories: Math.max(1, tenth - 1), items: tenth * 5, groups: tenth };
  return menuOf({ ...shape, groupsAnItem: 1, modifiersAGroup: 3 }, { seed: 'replace', mark });
}

const folder = mkdtempSync(join(tmpdir(), 'carte-replace-'));
const env = { CARTE_DATA: folder, CARTE_DEMO: 'off', PORT: '0' };

async function main(): Promise<void> {
  const database = await startEmbedded({ dataFolder: folder });
  const sizes = values.entities.split(',').map(Number);
  const stores = sizes.flatMap(size => Array.from({ length: rounds }, (_, round) => `${size}-${round}`));
  const file = join(folder, 'stores.ndjson');
  writeFileSync(file, stores.map(id => `${JSON.stringify({ id, name: {} })}\n`).join(''));
  await carte(['import', 'stores', file], env);
  const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], env);
  const server = await startServer(env);
  const client = new pg.Client(database.connection);
  await client.connect();

  const drawn = async () => {
    const tables = ['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];
    const counts = tables.map(table => `(select case when is_called then last_value else 0 end from ${table}_id_seq)`);
    return Number((await client.query(`select ${counts.join(' + ')} as n`)).rows[0].n);
  };
  const post = async (store: string, body: string) => {
    const before = await drawn();
    const begun = performance.now();
    const response = await fetch(`${server.url}/v1/stores/${store}/menu_configuration/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`POST returned ${response.status}`);
    return { ms: performance.now() - begun, ids: (await drawn()) - before };
  };

  await post(String(stores[0]), JSON.stringify(configuration(10, 'warm')));
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
  await client.end();
  await stopServer(server);
  await database.stop();
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
