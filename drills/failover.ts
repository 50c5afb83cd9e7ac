import { readOptions } from '../support/options.ts';
import { cases } from './failover/cases.ts';
import { routes } from './failover/service.ts';
import { runDrill } from './support/harness.ts';

const options = readOptions(
  `Moves the database under two processes of Carte, and checks what callers saw. Each case starts PostgreSQL servers of its own: a primary, standbys
that follow it, and the --route by which the primary is found (${routes.join(', ')}). --only runs a case by its name, --seconds is how long the load
runs before and after.`,
  { route: 'address', only: [], seconds: 4 },
);

await runDrill(async ({ runPart, violations }) => {
  const route = routes.find(name => name === options.route);
  if (!route) throw new Error(`--route is "${options.route}"; it must be one of ${routes.join(', ')}`);
  console.log(`Route: ${route}`);
  for (const [name, run] of Object.entries(cases)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const { facts, problems } = await runPart(part => run({ part, route, seconds: options.seconds }));
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${facts.join('; ')}`);
    violations.push(...problems.map(problem => `${name}: ${problem}`));
  }
});
