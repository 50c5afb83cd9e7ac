/**
 * Moves the database under two processes of Carte, and checks what callers saw:
 *   npx node drills/failover.ts [--route address|pgbouncer|hosts] [--only NAME]… [--seconds 4]
 * Each drill starts PostgreSQL servers of its own: a primary, standbys that follow it, and the address under which the primary is found.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Drill, drills } from './failover/cases.ts';
import { type Route, routes } from './failover/service.ts';

const { values } = parseArgs({
  options: {
    route: { type: 'string', default: 'address' },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '4' },
  },
});
const route = routes.find(name => name === values.route);
if (!route) throw new Error(`--route is "${values.route}"; it must be one of ${routes.join(', ')}`);

async function run(name: string, drill: Drill, through: Route): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'carte-failover-'));
  try {
    const { facts, problems } = await drill({ folder, route: through, seconds: Number(values.seconds) });
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${facts.join('; ')}`);
    for (const problem of problems.slice(0, 8)) console.log(`       ${problem}`);
    if (problems.length > 8) console.log(`       and ${problems.length - 8} more`);
    return problems.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let failed = 0;
console.log(`Route: ${route}`);
for (const [name, drill] of Object.entries(drills)) {
  if (values.only.length > 0 && !values.only.includes(name)) continue;
  if (!(await run(name, drill, route))) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
