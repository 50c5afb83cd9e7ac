import { relative } from 'node:path';
import { OperatorError } from '@carte/base/errors';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { examples, terminal } from './terminal.ts';
import { welcome, welcomeBack } from './welcome.ts';

export function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('serve the graph and the REST routes; without DATABASE_URL on an embedded PostgreSQL')
    .addHelpText('after', examples('carte serve', 'PORT=8080 DATABASE_URL=postgresql://carte@db/carte carte serve'))
    .action(async () => {
      const [{ readConfig }, { assertPortFree }] = await Promise.all([
        import('../config.ts'),
        import('../server/port.ts'),
      ]);
      const config = readConfig(process.env);
      await assertPortFree(config.host, config.port);
      announceStart(config);
      // The primary of several processes does not load the server, the largest part of the program.
      const { serve } = await (config.processes > 1 ? import('../processes/primary.ts') : import('../main.ts'));
      await serve(config, { onDemo: () => terminal.err('Loading the demo restaurants …'), onReady: announceReady });
    });
  program
    .command('worker', { hidden: true })
    .description('run one of the CARTE_PROCESSES workers of `serve`')
    .action(async () => {
      if (!process.connected) {
        throw new OperatorError('A worker is started by `carte serve` alone, when CARTE_PROCESSES is more than 1.');
      }
      const [{ readConfig }, { runWorker }] = await Promise.all([
        import('../config.ts'),
        import('../processes/worker.ts'),
      ]);
      await runWorker(() => readConfig(process.env));
    });
}

/** Prints what takes the first seconds; with a database of the operator's, stderr is left to the JSON lines of the log. */
function announceStart({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl) return void terminal.progress('Connecting to the database …');
  const path = relative('', dataFolder);
  terminal.err(`Starting PostgreSQL in ${path === '' || path.startsWith('..') ? dataFolder : path} …`);
}

function announceReady(url: string, demoKey: string | undefined): void {
  terminal.out(demoKey ? welcome(url, demoKey) : welcomeBack(url));
  terminal.out(`Carte is ready at ${url}`);
}
