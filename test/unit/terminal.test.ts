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
  `import { bold, terminal } from '${source}'; terminal.progress('working'); terminal.out(bold('done'));`,
);

/** Gives a command a terminal of its own. */
const recorder = 'script';
const onTerminal = [recorder, '--quiet', '--return', '--command', `${process.execPath} ${program}`, '/dev/null'];
const hasTerminals = spawnSync(recorder, ['--version']).error === undefined;

/** All that a command writes. Nothing of this environment is handed on: NO_COLOR, CI and others all speak of colours. */
function shownBy([command = '', ...args]: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { PATH = '' } = process.env;
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { PATH, TERM: 'xterm', ...env } });
  return stdout + stderr;
}

describe('the terminal', () => {
  test('has neither colour nor progress where there is none', () => {
    expect(shownBy([process.execPath, program])).toBe('done\n');
  });

  test.skipIf(!hasTerminals)('has both where there is one, and leaves no progress behind', () => {
    expect(shownBy(onTerminal)).toBe('\r\x1b[Kworking\r\x1b[K\x1b[1mdone\x1b[22m\r\n');
  });

  test.skipIf(!hasTerminals)('has no colour against NO_COLOR', () => {
    expect(shownBy(onTerminal, { NO_COLOR: '1' })).toBe('\r\x1b[Kworking\r\x1b[Kdone\r\n');
  });
});
