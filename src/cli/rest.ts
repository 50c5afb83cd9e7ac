import type { Command } from 'commander';
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
    .addHelpText('after', examples('carte openapi > openapi.json'))
    .action(async () => {
      const { openapiDocument } = await import('../rest/openapi/document.ts');
      terminal.out(JSON.stringify(openapiDocument(await loadContract()), null, 2));
    });
}

/** Imported lazily: loading GraphQL and the resolvers would slow down --help. */
async function loadContract() {
  const [{ createSchema }, contract] = await Promise.all([
    import('../graphql/schema.ts'),
    import('../rest/contract/contract.ts'),
  ]);
  return contract.loadContract(createSchema());
}
