/**
 * Measures the history of a mid menu, of which every revision changes one price:
 *   node bench/history.ts [--revisions 100] [--changed 1] [--inserted]
 * It prints the size on disk, and the CPU of reading one item now and as many revisions ago, and of comparing the two. `--changed` sets the
 * number of prices that change each time; with `--inserted` each revision also has one item more in front, which moves all others. It starts
 * its own server and database.
 */
import { parseArgs } from 'node:util';
import { type Client, sendExpecting, textOf } from './support/client.ts';
import { menuOf, midMenu } from './support/menu.ts';
import { figuresOf, machine, measure } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const { values } = parseArgs({
  options: {
    revisions: { type: 'string', default: '100' },
    changed: { type: 'string', default: '1' },
    inserted: { type: 'boolean', default: false },
  },
});
const revisions = Number(values.revisions);
const storeId = 'store';
const menu = menuOf(midMenu, { seed: 'history', mark: 'history' });
const reads = 20;

/** The body of a revision: the prices that change are other ones each time. */
function bodyOf(revision: number): string {
  const changed = Number(values.changed);
  const items = menu.items.map((item, at) => {
    const turn = (at - revision * changed) % menu.items.length;
    return turn >= 0 && turn < changed ? { ...item, price: item.price + revision } : item;
  });
  const [first] = menu.items;
  const inserted = values.inserted
    ? Array.from({ length: revision }, (_, at) => ({ ...first, external_id: `new-${revision - at}` }))
    : [];
  return JSON.stringify({ ...menu, items: [...inserted, ...items] });
}

async function graph(client: Client, query: string) {
  return sendExpecting(client, { path: '/graphql', body: JSON.stringify({ query }) }, 200);
}

async function main({ client, query, ...service }: Service): Promise<void> {
  const path = `/v1/stores/${storeId}/menu_configuration/`;
  for (let revision = 0; revision < revisions; revision++) {
    await sendExpecting(client, { path, body: bodyOf(revision) }, 200);
  }
  const [size] = await query(`
    select pg_total_relation_size('menu_history')::float8 / 1e6 as megabytes,
      (select count(distinct revision)::int from menu_history) as revisions,
      (select sum(bytes)::float8 / 1e6 from menu_history) as json`);
  console.log(`${new Date().toISOString()}, ${JSON.stringify(machine())}`);
  console.table([size]);

  const list = `{ store(id: "${storeId}") { menuHistory(first: 1000) { nodes { revision createdAt summary } } } }`;
  const { nodes } = JSON.parse(textOf(await graph(client, list))).data.store.menuHistory;
  const at = (back: number) =>
    `{ store(id: "${storeId}") { menuConfigurationAt(revision: ${nodes[Math.min(back, nodes.length - 1)].revision}) { item(externalId: "item-0") { price } } } }`;
  const queries = {
    // Not cached, because of the name.
    'the current configuration': `{ store(id: "${storeId}") { name item(externalId: "item-0") { price } } }`,
    'the same by its revision': at(0),
    [`${revisions - 1} revisions ago`]: at(revisions - 1),
    [`what changed in ${revisions - 1} revisions`]: `{ store(id: "${storeId}") {
      menuChanges(from: ${nodes.at(-1).revision}, limit: 1000) { entities { externalId summary } }
    } }`,
    'a list of 1000 revisions': list,
  };
  const rows: Record<string, string>[] = [];
  for (const [name, text] of Object.entries(queries)) {
    await graph(client, text);
    const stretch = await measure(service, async onAnswer => {
      for (let turn = 0; turn < reads; turn++) onAnswer(await graph(client, text));
    });
    const { server, database, p50 } = figuresOf([stretch]);
    rows.push({
      read: name,
      'CPU ms, server': server.toFixed(1),
      'CPU ms, database': database.toFixed(1),
      'p50 ms': p50.toFixed(1),
    });
  }
  console.table(rows);
}

await withService({ storeIds: [storeId], connections: 1 }, main);
