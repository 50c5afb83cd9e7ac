import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli.ts';

const program = createProgram();

/** Lists a command and its visible subcommands. */
const withSubcommands = (command: Command): Command[] => [
  command,
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter(({ parent }) => parent === command)
    .flatMap(withSubcommands),
];
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: written => (text += written) });
  command.outputHelp();
  return text;
}

/** Returns the arguments of each `carte` command in the examples, without redirections and pipes. */
function examplesIn(help: string): string[][] {
  const [, after = ''] = help.split(/^Examples?:\n/m);
  const lines = after.split('\n\n')[0]?.split('\n') ?? [];
  return lines.flatMap(line => {
    const call = /(?:^|[ (])(carte [^|>)]+)/.exec(line)?.[1];
    return call ? [call.trim().split(/ +/)] : [];
  });
}

describe('--help', () => {
  const commands = withSubcommands(program).map(command => [pathOf(command), command] as const);

  test('is there for subcommands', () => {
    expect(commands.map(([path]) => path)).toContain('carte key create');
  });

  test.each(commands)('of %s has examples with known commands and options', (path, command) => {
    const examples = examplesIn(helpOf(command));
    expect(examples).not.toEqual([]);
    for (const [, ...words] of examples) {
      const called = words.reduce(
        (command, word) => command.commands.find(subcommand => subcommand.name() === word) ?? command,
        program,
      );
      expect(pathOf(called).startsWith(path)).toBe(true);
      const options = words.filter(word => word.startsWith('--'));
      const known = called
        .createHelp()
        .visibleOptions(called)
        .map(({ long }) => long);
      expect(known).toEqual(expect.arrayContaining(options));
    }
  });
});
