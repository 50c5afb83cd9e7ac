/**
 * Plans the capacity for the busiest hour of 10, 1,000 and 100,000 stores, or of the given numbers of stores:
 *   npx node tools/capacity.ts [stores …]
 * A deterministic simulation with the figures of `capacity/costs.ts`; docs/scaling-and-failover.md explains it.
 */
import { limits } from './capacity/costs.ts';
import { type Plan, planFor } from './capacity/plan.ts';

const named = process.argv.slice(2).map(Number);
const plans = (named.length > 0 ? named : [10, 1_000, 100_000]).map(stores => planFor(stores));

const number = (value: number) =>
  value > 0 && value < 0.01 ? '< 0.01' : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
const bytes = (value: number) => {
  if (value < 1e8) return `${number(value / 1e6)} MB`;
  return value < 1e12 ? `${number(value / 1e9)} GB` : `${number(value / 1e12)} TB`;
};

const rows: readonly (readonly [name: string, cell: (plan: Plan) => string])[] = [
  ['stores', plan => number(plan.stores)],
  ...Object.keys(plans[0]?.rates ?? {}).map(
    name => [`${name}, a second`, (plan: Plan) => number(plan.rates[name] ?? 0)] as const,
  ),
  ['requests and deliveries, a second', plan => number(Object.values(plan.rates).reduce((sum, rate) => sum + rate, 0))],
  ['polls that find nothing new', plan => percent(plan.pollsNotModified)],
  ['menus found in the cache', plan => percent(plan.cacheHits)],
  ['cores, Carte', plan => number(plan.cores - plan.databaseCores)],
  ['cores, PostgreSQL', plan => number(plan.databaseCores)],
  ['processes', plan => number(plan.processes)],
  ['memory, Carte', plan => bytes(plan.memoryBytes)],
  ['database after two years', plan => bytes(plan.databaseBytes)],
  ['WAL, a second', plan => bytes(plan.walBytes)],
  ['replicas', plan => number(plan.replicas)],
];
console.log(rows.map(([name, cell]) => `| ${name} | ${plans.map(cell).join(' | ')} |`).join('\n'));
for (const plan of plans) console.log(`\nBeyond one server at ${number(plan.stores)} stores: ${plan.breaksFirst}`);

const largest = plans.at(-1);
if (largest) {
  const factor = limits.databaseCores / largest.databaseCores;
  const orders = (largest.rates['orders placed and served'] ?? 0) * 3600 * factor;
  console.log(
    `\nA primary of ${limits.databaseCores} cores carries ${number(largest.stores * factor)} stores, or ${number(orders)} orders in the busiest hour`,
  );
}
