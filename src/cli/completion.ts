import { Argument, type Command } from 'commander';
import { grammarOf } from './completion/grammar.ts';
import { completionScript, type Shell, shells } from './completion/scripts.ts';
import { examples } from './help.ts';
import { terminal } from './terminal.ts';

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      examples('source <(carte completion bash)', 'source <(carte completion zsh)', 'carte completion fish | source'),
    )
    .action((shell: Shell) => terminal.out(completionScript(grammarOf(program), shell)));
}
