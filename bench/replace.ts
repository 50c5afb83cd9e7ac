/**
 * What replacing a menu configuration costs, by its size, through POST:
 *   node bench/replace.ts [--entities 50,1000,10000]
 * It starts a server and a database of its own and prints a table.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../src/database/embedded.ts';
import { carte, startServer, stopServer } from './support/servers.ts';

const { values } = parseArgs({ options: { entities: { type: 'string', default: '50,1000,10000' } } });
const rounds = 5;

/** Shaped like a real menu: for every ten entities one category, five items, one group and three modifier items. */
function configuration(entities: number, text: string) {
  const name = { translations: { en: text, pt: `${text} em português` } };
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const tenth = Math.max(1, Math.floor(entities / 10));
  const modifierItems = ids('modifier', tenth * 3);
  const items = ids('item', tenth * 5);
  const groups = ids('group', tenth);
  const categories = ids('category', Math.max(1, tenth - 1));
  return {
    menus: [{ external_id: 'menu', name, availability: [], category_external_ids: categories }],
    categories: categories.map((external_id, at) => ({
      external_id,
      name,
      item_external_ids: items.slice(at * 5, at * 5 + 5),
    })),
    items: items.map((external_id, at) => ({
      external_id,
      name,
      description: name,
      price: 900 + at,
      tax: 90,
      sell_separately: true,
      prep_time: 10,
      modifier_external_ids: [groups[at % tenth]],
    })),
    modifier_groups: groups.map((external_id, at) => ({
      external_id,
      type: 'CHOICE',
      name,
      group_min: 0,
      group_max: 2,
      charge_after: 0,
      modifier_item_external_ids: modifierItems.slice(at * 3, at * 3 + 3),
    })),
    modifier_items: modifierItems.map(external_id => ({
      external_id,
      name,
      price_change: 50,
      tax_change: 5,
      min_quantity: 0,
      max_quantity: 1,
      default_quantity: 0,
    })),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'carte-replace-'));
const env = { CARTE_DATA: folder, CARTE_DEMO: 'off', PORT: '0' };
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

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
    if (response.status !== 200) throw new Error(`POST answered ${response.status}`);
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
      'ids drawn': `${ids.first} / ${ids.again} / ${ids.changed}`,
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
