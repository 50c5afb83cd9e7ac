import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli.ts';

const program = createProgram();

/** A hidden one is not for people. */
const withThoseBelow = (command: Command): Command[] => [
  command,
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter(({ parent }) => parent === command)
    .flatMap(withThoseBelow),
];
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: written => (text += written) });
  command.outputHelp();
  return text;
}

/** The words of each example, from the program's name up to what the shell does with the rest. */
function examplesIn(help: string): string[][] {
  const [, after = ''] = help.split(/^Examples?:\n/m);
  const lines = after.split('\n\n')[0]?.split('\n') ?? [];
  return lines.flatMap(line => {
    const call = /(?:^|[ (])(carte [^|>)]+)/.exec(line)?.[1];
    return call ? [call.trim().split(/ +/)] : [];
  });
}

describe('--help', () => {
  const commands = withThoseBelow(program).map(command => [pathOf(command), command] as const);

  test('is there for every command', () => {
    expect(commands.length).toBeGreaterThan(15);
  });

  test.each(commands)('%s shows an example that it understands', (path, command) => {
    const examples = examplesIn(helpOf(command));
    expect(examples).not.toEqual([]);
    for (const [, ...words] of examples) {
      const called = words.reduce((at, word) => at.commands.find(below => below.name() === word) ?? at, program);
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
