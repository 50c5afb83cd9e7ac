import type { Command } from 'commander';
import { examples } from './help.ts';

export function addMenuCommand(program: Command): void {
  const menu = program
    .command('menu')
    .description('work on menu configurations')
    .addHelpText('after', examples('carte menu check menu.json'));
  menu
    .command('check <file>')
    .description('check a menu configuration as POST would, and say what is doubtful in it; needs no database')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `${examples('carte menu check menu.json')}\n\nThe exit status is 1 if POST would refuse the file.`,
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkMenu } = await import('./menu-check.ts');
      checkMenu(file, options);
    });
}
