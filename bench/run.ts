/**
 * Runs the named benchmarks one after the other, by default `beside`:
 *   npm run bench [-- [NAME…] [OPTIONS]]
 * Each starts its own server and database.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchmarks: Readonly<Record<string, string>> = {
  beside: 'Carte compared with bytes from memory and with hand-written SQL; the default',
  mixed: 'writes among reads: cache hit rate and CPU',
  growth: 'the tree by the size of the menu, with a cold and a warm cache',
  replace: 'POST by the size of the menu',
  orders: 'order lists of a million orders, by filter',
  poll: 'POS systems that poll while orders are imported',
  processes: 'one process compared with two',
  replicas: 'lists and pages with and without a read replica',
  events: 'what the event log costs: commits, writes and an import',
  writes: 'an order from its placing to its end: CPU, WAL and disk space',
  streams: 'subscriptions: latency and memory',
  partitions: 'order lists on a partitioned table compared with a plain one',
};
const given = process.argv.slice(2);
const options = given.findIndex(word => word.startsWith('-'));
const named = options === -1 ? given : given.slice(0, options);
const passed = given.slice(named.length);
const unknown = named.filter(name => !(name in benchmarks));
const help = Object.entries(benchmarks).map(([name, text]) => `  ${name.padEnd(12)}${text}`);
if (passed.includes('--help')) {
  console.log(`npm run bench [-- NAME…] [OPTIONS]; the options are passed to every benchmark.\n${help.join('\n')}`);
  process.exit();
}
if (unknown.length > 0) {
  console.error(`Unknown benchmark ${unknown.join(', ')}; known are\n${help.join('\n')}`);
  process.exit(1);
}
for (const name of named.length > 0 ? named : ['beside']) {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...passed], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
