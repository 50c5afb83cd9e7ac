import { readOptions } from '../support/options.ts';
import { type Client, type Request, sendExpecting, textOf } from './support/client.ts';
import { type MenuShape, menuOf, midMenu, smallMenu } from './support/menu.ts';
import { type Figures, figuresOf, machine, measure, medianOf } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const { revisions, changed, inserted, writes, rounds } = readOptions(
  `Measures the history of a mid menu, of which every revision changes one price: the size on disk, and the CPU of reading one item now and as many
--revisions ago, and of comparing the two. --changed is the number of prices that change each time; with --inserted each revision also has one item
more in front, which moves all others. With --writes it measures the CPU of as many writes instead, with the triggers of the history and without
them, alternately.`,
  { revisions: 100, changed: 1, inserted: false, writes: 0, rounds: 5 },
);
const storeId = 'store';
const menu = menuOf(midMenu, { seed: 'history', mark: 'history' });
const reads = 20;

/** The body of a revision: the prices that change are other ones each time. */
function bodyOf(revision: number): string {
  const items = menu.items.map((item, at) => {
    const turn = (at - revision * changed) % menu.items.length;
    return turn >= 0 && turn < changed ? { ...item, price: item.price + revision } : item;
  });
  const [first] = menu.items;
  const insertedItems = inserted
    ? Array.from({ length: revision }, (_, at) => ({ ...first, external_id: `new-${revision - at}` }))
    : [];
  return JSON.stringify({ ...menu, items: [...insertedItems, ...items] });
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
    `{ store(id: "${storeId}") { menuConfigurationAt(revision: ${nodes[Math.min(back, nodes.length - 1)].revision}) { item(externalId: "item-0") { price { amount } } } } }`;
  const queries = {
    // Not cached, because of the name.
    'the current configuration': `{ store(id: "${storeId}") { name { text } item(externalId: "item-0") { price { amount } } } }`,
    'the same by its revision': at(0),
    [`${revisions - 1} revisions ago`]: at(revisions - 1),
    [`what changed in ${revisions - 1} revisions`]: `{ store(id: "${storeId}") {
      menuChanges(from: ${nodes.at(-1).revision}, first: 1000) { entities { externalId summary } }
    } }`,
    'a list of 1000 revisions': list,
  };
  const rows: Record<string, string>[] = [];
  for (const [name, text] of Object.entries(queries)) {
    await graph(client, text);
    const stretch = await measure(service, async onResponse => {
      for (let turn = 0; turn < reads; turn++) onResponse(await graph(client, text));
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

const tables = ['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];
const modes = ['disable', 'enable'] as const;

/** Requests that change one value of the menu each, by the turn. */
function createWrites(): Readonly<Record<string, (turn: number) => Request>> {
  const post = (shape: MenuShape) => {
    const posted = menuOf(shape, { seed: 'writes', mark: 'writes' });
    const body = (turn: number) => {
      const at = turn % posted.items.length;
      return JSON.stringify({
        ...posted,
        items: posted.items.map((item, index) => (index === at ? { ...item, price: item.price + turn + 1 } : item)),
      });
    };
    return (turn: number) => ({ path: `/v1/stores/${shape.items}/menu_configuration/`, body: body(turn) });
  };
  const query =
    'mutation ($items: [StockInput!]!) { setStock(input: { storeId: "40", items: $items }) { store { menuRevision } } }';
  const setStock = (turn: number) => {
    const items = [{ externalId: 'item-0', inStock: turn % 2 === 0 }];
    return { path: '/graphql', body: JSON.stringify({ query, variables: { items } }) };
  };
  const prices = (turn: number) => {
    const items = [{ external_id: 'item-0', price: turn }];
    return { path: `/pos/v1/stores/${midMenu.items}/prices`, body: JSON.stringify({ items }) };
  };
  return { 'POST, small': post(smallMenu), 'POST, mid': post(midMenu), 'prices, mid': prices, setStock };
}

async function compareWrites({ client, query, ...service }: Service, count: number): Promise<void> {
  const kinds = Object.entries(createWrites());
  const found = new Map(kinds.map(([name]) => [name, { disable: [] as Figures[], enable: [] as Figures[] }]));
  let turn = 0;
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const mode of round % 2 ? modes : modes.toReversed()) {
      for (const table of tables) {
        for (const event of ['insert', 'update', 'delete']) {
          await query(`alter table ${table} ${mode} trigger ${table}_${event}_recorded`);
        }
      }
      for (const [name, request] of kinds) {
        const stretch = await measure(service, async onResponse => {
          for (let sent = 0; sent < count; sent++) {
            const response = await sendExpecting(client, request(turn++), 200);
            if (textOf(response).startsWith('{"errors')) throw new Error(textOf(response));
            onResponse(response);
          }
        });
        if (round > 0) found.get(name)?.[mode].push(figuresOf([stretch]));
      }
    }
  }
  console.log(`${new Date().toISOString()}, ${JSON.stringify(machine())}`);
  const rows = [...found].map(([write, { disable, enable }]) => {
    const [before, after] = [medianOf(disable), medianOf(enable)];
    const pair = (pick: (figures: Figures) => number) =>
      `${pick(before).toFixed(2)} → ${pick(after).toFixed(2)} (${(pick(after) / pick(before)).toFixed(2)}×)`;
    return {
      write,
      'CPU ms, server': pair(({ server }) => server),
      'CPU ms, database': pair(({ database }) => database),
      'CPU ms, both': pair(({ server, database }) => server + database),
      'p50 ms': pair(({ p50 }) => p50),
    };
  });
  console.table(rows);
}

await withService({ storeIds: [storeId, '40', '400'], connections: 1 }, service =>
  writes === 0 ? main(service) : compareWrites(service, writes),
);
