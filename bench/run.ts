/**
 * Runs the benchmarks one after the other, or those that are named:
 *   npm run bench [-- replace sofa]
 * Each starts a server and a database of its own.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchmarks = ['sofa', 'replace', 'poll', 'orders'];
const named = process.argv.slice(2);
const unknown = named.filter(name => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${benchmarks.join(', ')}.`);
  process.exit(1);
}
for (const name of named.length > 0 ? named : benchmarks) {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
