import { relative } from 'node:path';
import { OperatorError } from '@carte/base/errors';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { examples, styled, terminal } from './terminal.ts';

export function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('serve the graph and the REST routes; without DATABASE_URL on an embedded PostgreSQL')
    .addHelpText('after', examples('carte serve', 'PORT=8080 DATABASE_URL=postgresql://carte@db/carte carte serve'))
    .addHelpText(
      'after',
      '\nSettings are environment variables: see docs/settings.md, or /guides/settings of the service.',
    )
    .action(async () => {
      const { readConfig } = await import('../config.ts');
      const { assertPortFree } = await import('../server/port.ts');
      const config = readConfig(process.env);
      await assertPortFree(config.host, config.port);
      announceStart(config);
      // The primary of several processes does not load the server, the largest part of the program.
      const { serve } = await (config.processes > 1 ? import('../processes/primary.ts') : import('../main.ts'));
      const { url, demoKey } = await serve(config, () => terminal.err('Loading the demo restaurants …'));
      announceReady(url, demoKey);
    });
  program
    .command('worker', { hidden: true })
    .description('run one of the CARTE_PROCESSES workers of `serve`')
    .action(async () => {
      if (!process.connected) {
        throw new OperatorError('A worker is started by `carte serve` alone, when CARTE_PROCESSES is more than 1.');
      }
      const { runWorker } = await import('../processes/worker.ts');
      await runWorker();
    });
}

/** Prints what takes the first seconds; with a database of the operator's, stderr is left to the JSON lines of the log. */
function announceStart({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl) return void terminal.progress('Connecting to the database …');
  const path = relative('', dataFolder);
  terminal.err(`Starting PostgreSQL in ${path === '' || path.startsWith('..') ? dataFolder : path} …`);
}

/** Prints the pages, and on the first start the demo key and commands to try it with; later ones say how to get a key. */
function announceReady(url: string, demoKey: string | undefined): void {
  const parts = demoKey ? [welcome(url, demoKey), pages(url)] : [pages(url), keyHelp()];
  terminal.out(`\n${parts.join('\n\n')}\n`);
  terminal.out(`Carte is ready at ${url}`);
}

const bold = (text: string) => styled('bold', text);

function welcome(url: string, key: string): string {
  const query =
    '{ store(id: \\"lisbon-baixa\\") { name { text } menus { categories { items { price { decimal } } } } } }';
  return `${bold('Demo restaurants are loaded. Open this link, which has your API key, shown only this once:')}

  ${url}/#key=${key}

${bold('REST')}
  curl -H 'x-api-key: ${key}' ${url}/v1/stores/lisbon-baixa

${bold('GraphQL')}
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' \\
    -d '{"query": "${query}"}' ${url}/graphql`;
}

const pages = (url: string) => `${bold('In a browser')}
  ${url}/          overview of all pages
  ${url}/console   orders, stock, menus and keys
  ${url}/graphql   the playground
  ${url}/docs      the REST reference
  ${url}/menu      a store's menu as guests see it
  ${url}/guides    the guides`;

const keyHelp = () => `${bold('An API key, if you have none or lost it')}
  npm run --silent carte -- key create --name NAME --all --write`;
