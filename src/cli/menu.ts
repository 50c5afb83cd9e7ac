import type { Command } from 'commander';
import { examples } from './options.ts';

export function addMenuCommand(program: Command): void {
  const menu = program
    .command('menu')
    .description('validate menu configurations')
    .addHelpText('after', examples('carte menu check menu.json'));
  menu
    .command('check <file>')
    .description('validate a menu configuration as POST does, and print its diagnostics; needs no database')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `${examples('carte menu check menu.json')}\n\nThe exit status is 1 if POST would reject the file.`,
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkMenu } = await import('./menu-check.ts');
      checkMenu(file, options);
    });
}
