import { readFileSync } from 'node:fs';
import { directivesPath } from '@carte/operations/contract/folders';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { printGraph } from '../../src/graphql/sdl.ts';
import { readBuiltInSets } from '../../src/rest/sets.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What callers and operators rely on, as texts by file: the graph, the sets of operations, their directives, and names. */
export type Promises = Readonly<Record<string, string>>;

export const graphFile = 'graph.graphql';
export const directivesFile = 'directives.graphql';
export const namesFile = 'names.txt';
const setFile = (name: string) => `sets/${name}.graphql`;
export const isSetFile = (file: string): boolean => file.startsWith('sets/');

export function describePromises(): Promises {
  const sets = readBuiltInSets().map(({ name, files }) => {
    const own = files.filter(({ path }) => path !== directivesPath);
    return [setFile(name), own.map(({ text }) => text).join('\n')];
  });
  return {
    [graphFile]: printGraph(loadSchema()),
    [directivesFile]: read('packages/operations/directives.graphql'),
    ...Object.fromEntries(sets),
    [namesFile]: `${listNames().sort().join('\n')}\n`,
  };
}

/** Settings, commands with their options, and metrics. */
function listNames(): string[] {
  const namesIn = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, name = '']) => name);
  return [
    ...namesIn('src/config.ts', /\benv\(\s*'(\w+)'/g).map(name => `setting ${name}`),
    ...namesIn('src/server/metrics.ts', /'(carte_\w+)'/g).map(name => `metric ${name}`),
    ...listCommands(createProgram()).map(name => `command ${name}`),
  ];
}

function listCommands(command: Command, parents = ''): string[] {
  const name = `${parents}${command.name()}`;
  const options = command.options.map(({ long, short }) => `${name} ${long ?? short}`);
  return [name, ...options, ...command.commands.flatMap(each => listCommands(each, `${name} `))];
}
