import type { Command } from 'commander';
import { createSchema } from '../graphql/schema.ts';
import { loadContract } from '../rest/contract/contract.ts';
import { routeTable } from '../rest/table.ts';
import { examples } from './help.ts';
import { table, terminal } from './terminal.ts';

export function addRestCommands(program: Command): void {
  program
    .command('routes')
    .description('show the REST routes and the operations of schema/rest behind them')
    .addHelpText('after', examples('carte routes'))
    .action(() => {
      const rows = routeTable(loadContract(createSchema()));
      terminal.out(table(rows.map(({ method, path, operation }) => [method, path, operation])));
    });
  program
    .command('openapi')
    .description('print the OpenAPI document of the REST routes')
    .addHelpText('after', examples('carte openapi > openapi.json'))
    .action(async () => {
      // SOFA takes longer to load than most commands to run.
      const { openapiDocument } = await import('../rest/openapi/document.ts');
      terminal.out(JSON.stringify(openapiDocument(loadContract(createSchema())), null, 2));
    });
}
