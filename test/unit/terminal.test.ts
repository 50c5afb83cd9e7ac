import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'carte-terminal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const program = join(folder, 'program.ts');
const source = new URL('../../src/cli/terminal.ts', import.meta.url).href;
writeFileSync(
  program,
  `import { styled, terminal } from '${source}'; terminal.progress('working'); terminal.out(styled('bold', 'done'));`,
);

/** Runs a command in a pseudo-terminal. */
const recorder = 'script';
const inTerminal = [recorder, '--quiet', '--return', '--command', `'${process.execPath}' '${program}'`, '/dev/null'];
const hasScript = spawnSync(recorder, ['--version']).error === undefined;

/** Returns the output of a command. The environment is not inherited, since NO_COLOR, CI and other variables affect colours. */
function outputOf([command = '', ...args]: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { PATH = '' } = process.env;
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { PATH, TERM: 'xterm', ...env } });
  return stdout + stderr;
}

describe('terminal', () => {
  test('prints neither styles nor progress unless it is a TTY', () => {
    expect(outputOf([process.execPath, program])).toBe('done\n');
  });

  test.skipIf(!hasScript)('prints both on a TTY, and erases the progress', () => {
    expect(outputOf(inTerminal)).toBe('\r\x1b[Kworking\r\x1b[K\x1b[1mdone\x1b[22m\r\n');
  });

  test.skipIf(!hasScript)('prints no styles with NO_COLOR', () => {
    expect(outputOf(inTerminal, { NO_COLOR: '1' })).toBe('\r\x1b[Kworking\r\x1b[Kdone\r\n');
  });
});
