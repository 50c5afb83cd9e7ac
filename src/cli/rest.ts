import type { Command } from 'commander';
import { examples } from './help.ts';
import { table, terminal } from './terminal.ts';

export function addRestCommands(program: Command): void {
  program
    .command('routes')
    .description('show the REST routes and the operations of schema/rest behind them')
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
      // SOFA takes longer to load than most commands to run.
      const { openapiDocument } = await import('../rest/openapi/document.ts');
      terminal.out(JSON.stringify(openapiDocument(await loadContract()), null, 2));
    });
}

/** Loaded when it is needed: GraphQL and the resolvers take longer to load than --help may take. */
async function loadContract() {
  const [{ createSchema }, contract] = await Promise.all([
    import('../graphql/schema.ts'),
    import('../rest/contract/contract.ts'),
  ]);
  return contract.loadContract(createSchema());
}
