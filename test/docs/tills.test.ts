import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';

const missing = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error);
const guide = readFileSync(new URL('../../docs/tills.md', import.meta.url), 'utf8');

/** The commands of the guide, each with what it is said to print. */
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?/gms)].map(
  ([, commands = '', printed = '']) => ({ commands, printed }),
);

const endOfBlock = '\u0004';

/** Runs all blocks in one shell, as a reader would; gives back what each of them printed. */
async function runAll(env: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carte tills '));
  afterAll(() => rmSync(folder, { recursive: true }));
  const child = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => (stdout += chunk));
  child.stderr.on('data', chunk => (stderr += chunk));
  child.stdin.end(blocks.map(({ commands }) => `${commands}printf '${endOfBlock}'\n`).join(''));
  const code = await new Promise(resolve => child.on('close', resolve));
  const printed = stdout.split(endOfBlock);
  if (code !== 0) throw new Error(`block ${printed.length} ended with ${code}: ${stderr}\n${printed.at(-1)}`);
  return printed;
}

describe.skipIf(missing.length > 0)(`docs/tills.md (missing here: ${missing.join(', ') || 'nothing'})`, async () => {
  const app = await startApp();
  const key = missing.length > 0 ? '' : await loadDemo(app.orm);
  const printed = missing.length > 0 ? [] : await runAll({ CARTE_URL: app.url, CARTE_KEY: key });

  test('its commands are found', () => {
    expect(blocks.length).toBeGreaterThan(10);
    expect(guide.match(/^```/gm)).toHaveLength(2 * blocks.length + 2 * blocks.filter(block => block.printed).length);
  });

  const expectations = blocks.map((block, index) => [block.commands.split('\n')[0], block.printed, printed[index]]);
  test.each(expectations)('%s … prints what the guide says', (_first, expected, actual) => {
    expect(actual).toBe(expected);
  });
});
