import { type Command, Option } from 'commander';
import { examples } from './options.ts';
import { table, terminal } from './terminal.ts';

export function addRestCommands(program: Command): void {
  program
    .command('routes')
    .description('list the REST routes and their operations in schema/rest')
    .addHelpText('after', examples('carte routes'))
    .action(async () => {
      const { routeTable } = await import('../rest/contract/contract.ts');
      const rows = routeTable(await loadContract());
      terminal.out(table(rows.map(({ method, path, operation }) => [method, path, operation])));
    });
  program
    .command('openapi')
    .description('print the OpenAPI document of the REST routes')
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
      ),
    )
    .action(async ({ spec, postman = false }: { readonly spec: '3.1' | '3.0'; readonly postman?: boolean }) => {
      terminal.out(JSON.stringify(await describeRest({ spec, postman }), null, 2));
    });
}

async function describeRest({ spec, postman }: { readonly spec: '3.1' | '3.0'; readonly postman: boolean }) {
  const contract = await loadContract();
  if (postman) return (await import('../rest/openapi/postman.ts')).postmanCollection(contract);
  const document = (await import('../rest/openapi/document.ts')).openapiDocument(contract);
  return spec === '3.0' ? (await import('../rest/openapi/downgrade.ts')).downgradeDocument(document) : document;
}

/** Imported lazily: loading GraphQL and the resolvers would slow down --help. */
async function loadContract() {
  const [{ loadSchema }, contract] = await Promise.all([
    import('../graphql/schema.ts'),
    import('../rest/contract/contract.ts'),
  ]);
  return contract.loadContract(loadSchema());
}
