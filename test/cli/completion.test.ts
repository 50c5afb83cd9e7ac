import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../../src/cli/completion/grammar.ts';
import { completionScript, type Shell } from '../../src/cli/completion/scripts.ts';
import { createProgram } from '../../src/cli.ts';
import { run, temporaryFolder } from './support.ts';

const script = (shell: Shell) => completionScript(grammarOf(createProgram()), shell);
const isMissing = (shell: string) => spawnSync(shell, ['--version']).error !== undefined;

/** What bash offers for the last of the words. */
function completeInBash(...words: readonly string[]): string[] {
  const drive = `${script('bash')}
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _carte
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', drive, 'bash', ...words], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('carte completion', () => {
  test('prints the script and refuses other shells', async () => {
    expect(await run(['completion', 'bash'], {})).toEqual({ code: 0, stdout: `${script('bash')}\n`, stderr: '' });
    expect(await run(['completion', 'cmd'], {})).toMatchObject({ code: 1, stdout: '' });
  });

  test.skipIf(isMissing('bash')).each([
    [
      ['carte', 'm'],
      ['migrate', 'menu'],
    ],
    [
      ['carte', 'key', ''],
      ['create', 'list', 'revoke', 'rotate'],
    ],
    [['carte', 'key', 'create', '--w'], ['--write']],
    [['carte', 'key', 'create', '--name', 'list', '--e'], ['--expires']],
    [
      ['carte', 'import', ''],
      ['merchants', 'stores', 'orders'],
    ],
    [['carte', 'import', '--strict', 's'], ['stores']],
    [['carte', 'import', 'stores', ''], ['']],
    [['carte', 'compare', '--old', ''], ['']],
    [['carte', 'completion', 'f'], ['fish']],
  ])('in bash, %j is completed by %j', (words, offered) => {
    expect(completeInBash(...words)).toEqual(offered);
  });

  test.skipIf(isMissing('zsh'))('zsh reads its script', () => {
    expect(read('zsh', '-n')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test.skipIf(isMissing('fish'))('fish reads its script, and offers what fits', () => {
    const { stdout, stderr } = read(
      'fish',
      '--no-config',
      "complete -C 'carte key create --w'; complete -C 'carte import '",
    );
    expect(stderr).toBe('');
    const offered = stdout.split('\n').map(line => line.split('\t')[0]);
    expect(offered).toEqual(['--write', 'merchants', 'orders', 'stores', '']);
  });
});

/** Has a shell read its script, with something to do after it. */
function read(shell: Shell, flag: string, more = '') {
  const file = join(temporaryFolder(), `carte.${shell}`);
  writeFileSync(file, `${script(shell)}\n${more}\n`);
  const { status, stdout, stderr } = spawnSync(shell, [flag, file], { encoding: 'utf8' });
  return { status, stdout, stderr };
}
