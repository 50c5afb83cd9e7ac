import { readOptions } from '../support/options.ts';
import { inParallel, sendExpecting } from './support/client.ts';
import { menuOf, midMenu } from './support/menu.ts';
import { type Figures, figuresOf, measure, peakMemory, type Stretch } from './support/meter.ts';
import { type Service, withService } from './support/service.ts';

const options = readOptions(
  `Measures GET of the tree by the size of the menu, with a cold cache (changed just before through another process) and with a warm one.`,
  { items: '400,4000,10000', changes: 5, seconds: 4 },
);
const sizes = options.items.split(',').map(Number);
const connections = 2;

/** Returns the mid menu with another number of items. */
const bodyOf = (items: number, mark: string) =>
  JSON.stringify(menuOf({ ...midMenu, items, categories: Math.ceil(items / 10) }, { seed: 'growth', mark }));

function row(items: number, kind: string, { server, database, p50, bytes }: Figures) {
  const megabytes = bytes / 1e6;
  return {
    items,
    tree: kind,
    MB: megabytes.toFixed(1),
    'CPU ms, server': server.toFixed(1),
    'CPU ms, database': database.toFixed(1),
    'CPU ms per MB': ((server + database) / megabytes).toFixed(2),
    'p50 ms': p50.toFixed(0),
  };
}

async function main(service: Service): Promise<void> {
  const { client } = service;
  // A write primes the cache of its own process.
  const writer = await service.startAnother();
  const rows: Record<string, string | number>[] = [];
  for (const items of sizes) {
    const path = `/v1/stores/${items}/menu_configuration/`;
    const stretches: Stretch[] = [];
    for (let change = 0; change <= options.changes; change++) {
      await sendExpecting(writer, { path, body: bodyOf(items, `version ${change}`) }, 200);
      const stretch = await measure(service, async onResponse =>
        onResponse(await sendExpecting(client, { path }, 200)),
      );
      // The first one is a warm-up.
      if (change > 0) stretches.push(stretch);
    }
    rows.push(row(items, 'cold', figuresOf(stretches)));
    const end = performance.now() + options.seconds * 1000;
    const read = async () => sendExpecting(client, { path }, 200);
    const warm = await measure(service, onResponse =>
      inParallel(
        connections,
        () => performance.now() < end,
        async () => onResponse(await read()),
      ),
    );
    rows.push(row(items, 'warm', figuresOf([warm])));
  }
  console.table(rows);
  console.log(`Peak memory of the server: ${peakMemory(service.serverPid)} MiB`);
}

await withService({ storeIds: sizes.map(String), connections }, main);
