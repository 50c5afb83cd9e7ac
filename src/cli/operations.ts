import { basename, join, resolve } from 'node:path';
import { OperatorError } from '@carte/base/errors';
import type { Contract } from '@carte/operations/contract/contract';
import type { Deprecation } from '@carte/operations/contract/directives';
import type { Command } from 'commander';
import { loadSets } from './rest.ts';
import { examples, table, terminal } from './terminal.ts';

export function addOperationsCommand(program: Command): void {
  const operations = program
    .command('operations')
    .description('check and describe sets of operations, the folders of CARTE_OPERATIONS')
    .addHelpText('after', examples('carte operations check operations/shop'));
  operations
    .command('check')
    .description('check a folder as `serve` does, without a server or database')
    .argument('<folder...>', 'folder of .graphql files')
    .addHelpText('after', examples('carte operations check operations/shop'))
    .action(async (folders: readonly string[]) => {
      for (const set of await loadOwn(folders)) terminal.out(`${set.name}: ${count(set)}, no errors`);
    });
  operations
    .command('list')
    .description(
      'list the operations of all sets, with their routes, or the events that they are the messages of, and what is deprecated',
    )
    .addHelpText('after', examples('CARTE_OPERATIONS=operations/shop carte operations list'))
    .action(async () => {
      const rows = (await loadSets()).flatMap(({ name: set, operations, messages }) => [
        ...operations.map(({ name, kind, route: { method, path }, deprecation }) => [
          ...[set, name, kind, method, path, markOf(deprecation)],
        ]),
        ...messages.map(({ name, events, deprecation }) => [
          ...[set, name, 'message', '-', events.join(','), markOf(deprecation)],
        ]),
      ]);
      terminal.out(table(rows));
    });
  operations
    .command('derive')
    .description('write the derived schema of a folder to derived.graphql in it, for reviews')
    .argument('<folder>', 'folder of .graphql files')
    .addHelpText('after', examples('carte operations derive operations/shop'))
    .action(async (folder: string) => {
      const [{ printSchema }, { writeFileSync }] = await Promise.all([import('graphql'), import('node:fs')]);
      const [set] = await loadOwn([folder]);
      if (!set) return;
      const file = join(folder, 'derived.graphql');
      writeFileSync(file, `${printSchema(set.schema)}\n`);
      terminal.err(`Wrote ${file}.`);
    });
  operations
    .command('diff')
    .description(
      'list what changes for callers between two versions of a folder; the status is 1 if anything breaks them',
    )
    .argument('<old>', 'folder of the version that callers know')
    .argument('<new>', 'folder of the next version')
    .addHelpText('after', examples('carte operations diff released/shop operations/shop'))
    .action(async (old: string, next: string) => {
      const { compareContracts } = await import('@carte/operations/contract/changes');
      const { readContract } = await import('@carte/operations/contract/contract');
      const { readVersion } = await import('@carte/operations/contract/folders');
      const { permissionsIn } = await import('../graphql/authorization.ts');
      const { loadSchema } = await import('../graphql/schema.ts');
      const { readConfig } = await import('../config.ts');
      const { createOwnLimits } = await import('../server/operations.ts');
      const graph = loadSchema();
      const limits = createOwnLimits(graph, readConfig(process.env).graphqlLimits);
      // Without rules for names: the sets that come with Carte have versions, too.
      const read = (folder: string) => readContract(graph, readVersion(resolve(folder)), limits, []);
      const { breaking, dangerous, safe } = compareContracts(read(old), read(next), permissionsIn(graph));
      for (const [label, changes] of Object.entries({ BREAKING: breaking, dangerous, safe })) {
        for (const change of changes) terminal.out(`${label.padEnd(9)} ${change}`);
      }
      if (breaking.length > 0) throw new OperatorError(`${breaking.length} of the changes break callers.`);
      if (dangerous.length + safe.length === 0) terminal.out('Nothing changes for callers.');
    });
}

const markOf = (deprecation: Deprecation | undefined) =>
  deprecation ? ['deprecated', ...(deprecation.sunset ? ['until', deprecation.sunset] : [])].join(' ') : '';

/** Loads the sets of these folders alone. */
async function loadOwn(folders: readonly string[]): Promise<readonly Contract[]> {
  const names = new Set(folders.map(folder => basename(resolve(folder))));
  const sets = await loadSets(folders.map(folder => resolve(folder)));
  return sets.filter(({ name, isBuiltIn }) => !isBuiltIn && names.has(name));
}

function count({ operations, messages }: Contract): string {
  const countOf = (noun: string, { length }: readonly unknown[]) => `${length} ${noun}${length === 1 ? '' : 's'}`;
  return [countOf('route', operations), ...(messages.length > 0 ? [countOf('message', messages)] : [])].join(', ');
}
