import { OperatorError } from '@carte/base/errors';
import type { Contract } from '@carte/operations/contract/contract';
import { type Command, Option } from 'commander';
import { examples, table, terminal } from './terminal.ts';

export function addRestCommands(program: Command): void {
  program
    .command('routes')
    .description('list the REST routes and their operations')
    .addHelpText('after', examples('carte routes'))
    .action(async () => {
      const { routeTable } = await import('@carte/operations/contract/contract');
      const rows = routeTable(await loadSets());
      terminal.out(table(rows.map(({ method, path, operation }) => [method, path, operation])));
    });
  program
    .command('openapi')
    .description('print the OpenAPI document of the REST routes')
    .option('--set <name>', 'set of operations: v1, pos, or a folder of CARTE_OPERATIONS', 'v1')
    .addOption(
      new Option('--spec <version>', 'version of OpenAPI; 3.0 is for generators that cannot read 3.1')
        .choices(['3.1', '3.0'])
        .default('3.1'),
    )
    .addOption(new Option('--postman', 'print a Postman collection instead').conflicts('spec'))
    .addHelpText(
      'after',
      examples(
        'carte openapi > openapi.json',
        'carte openapi --spec 3.0 > openapi-3.0.json',
        'carte openapi --postman > carte.postman_collection.json',
        'CARTE_OPERATIONS=operations/shop carte openapi --set shop > shop.json',
      ),
    )
    .action(async (options: OpenapiOptions) => {
      terminal.out(JSON.stringify(await describeRest(options), null, 2));
    });
}

interface OpenapiOptions {
  readonly set: string;
  readonly spec: '3.1' | '3.0';
  readonly postman?: boolean;
}

async function describeRest({ set, spec, postman = false }: OpenapiOptions) {
  const contract = findSet(await loadSets(), set);
  if (postman) return (await import('@carte/operations/openapi/postman')).postmanCollection(contract);
  const document = (await import('../rest/openapi.ts')).describeSet(contract);
  return spec === '3.0' ? (await import('@carte/operations/openapi/downgrade')).downgradeDocument(document) : document;
}

export function findSet(sets: readonly Contract[], name: string): Contract {
  const found = sets.find(set => set.name === name);
  if (found) return found;
  throw new OperatorError(`There is no set "${name}", only ${sets.map(set => set.name).join(', ')}.`);
}

/** Loads the sets that `serve` would have with these folders; imported lazily, since the resolvers would slow down --help. */
export async function loadSets(folders?: readonly string[]) {
  const { loadSchema } = await import('../graphql/schema.ts');
  const { readConfig } = await import('../config.ts');
  const { loadOperations } = await import('../server/operations.ts');
  const config = readConfig(process.env);
  return loadOperations(loadSchema(), { ...config, operations: folders ?? config.operations });
}
