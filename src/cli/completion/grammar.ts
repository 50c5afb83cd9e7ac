import type { Command } from 'commander';

export interface Word {
  readonly word: string;
  readonly description: string;
}

export interface CompletedOption extends Word {
  readonly takesValue: boolean;
  /** Its values, where there are only so many. */
  readonly choices: readonly string[];
}

/** What may stand after a command. */
export interface CompletedCommand {
  /** The words that lead to it: `carte key create`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly CompletedOption[];
  /** The values of each argument; none where any will do. */
  readonly arguments: readonly (readonly string[])[];
}

export type Grammar = readonly CompletedCommand[];

/** The program and all commands below it, as `--help` shows them. */
export function grammarOf(command: Command, path = command.name()): Grammar {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter(below => below.name() !== 'help');
  const own: CompletedCommand = {
    path,
    commands: commands.map(below => ({ word: below.name(), description: below.description() })),
    options: help.visibleOptions(command).map(option => ({
      word: option.long ?? option.flags,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    arguments: command.registeredArguments.map(argument => argument.argChoices ?? []),
  };
  return [own, ...commands.flatMap(below => grammarOf(below, `${path} ${below.name()}`))];
}

/** A place and what fits there: `carte key 0` is the first word after `carte key`, `carte x --y` the value of an option. */
export interface Slot {
  readonly place: string;
  readonly words: readonly Word[];
}

export function slotsOf(grammar: Grammar): Slot[] {
  const plain = (words: readonly string[]) => words.map(word => ({ word, description: '' }));
  return grammar
    .flatMap(({ path, commands, options, arguments: given }) => [
      { place: `${path} 0`, words: commands },
      ...given.map((choices, nth) => ({ place: `${path} ${nth}`, words: plain(choices) })),
      ...options.map(({ word, choices }) => ({ place: `${path} ${word}`, words: plain(choices) })),
    ])
    .filter(({ words }) => words.length > 0);
}
