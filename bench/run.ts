/**
 * Runs the benchmarks that are named one after the other; without a name, the one beside the others:
 *   npm run bench [-- [NAME…] [OPTIONS]]
 * Each starts a server and a database of its own.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchmarks: Readonly<Record<string, string>> = {
  beside: 'Carte beside bytes from memory and beside SQL by hand; run when none is named',
  mixed: 'writes among reads: what is kept, and no stale answer',
  growth: 'the tree of a menu as it grows',
  replace: 'what a POST costs by the size of the menu',
  orders: 'order lists of a million orders, by filter',
  poll: 'tills that poll while orders come in',
  processes: 'one process and two, and one of two killed',
  renewals: 'workers renewed and ended under load, without a dropped request',
  replicas: 'a read replica that lags, stops and freezes under load',
  partitions: 'order lists in a split table beside a whole one',
  capacity: 'a plan for 10, 1,000 and 100,000 stores, by simulation',
};
const given = process.argv.slice(2);
const options = given.findIndex(word => word.startsWith('-'));
const named = options === -1 ? given : given.slice(0, options);
const passed = given.slice(named.length);
const unknown = named.filter(name => !(name in benchmarks));
const help = Object.entries(benchmarks).map(([name, text]) => `  ${name.padEnd(12)}${text}`);
if (passed.includes('--help')) {
  console.log(`npm run bench [-- NAME…] [OPTIONS]; the options go to every one that is named.\n${help.join('\n')}`);
  process.exit();
}
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are\n${help.join('\n')}`);
  process.exit(1);
}
for (const name of named.length > 0 ? named : ['beside']) {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...passed], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
