import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { urlOf } from '../support/url.ts';

const missing = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error);
const root = new URL('../../', import.meta.url);
const guide = readFileSync(new URL('docs/migrating.md', root), 'utf8');

/** The commands of the guide, each with what it is said to print. */
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?/gms)].map(
  ([, commands = '', printed = '']) => ({ commands, printed }),
);

const endOfBlock = '\u0004';

/** Runs all blocks in one shell in Carte's folder, as a reader would; gives back what each of them printed. */
async function runAll(env: Readonly<Record<string, string>>): Promise<string[]> {
  const child = spawn('bash', ['-euo', 'pipefail'], { cwd: fileURLToPath(root), env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => (stdout += chunk));
  child.stderr.on('data', chunk => (stderr += chunk));
  child.stdin.end(blocks.map(({ commands }) => `${commands}printf '${endOfBlock}'\n`).join(''));
  const code = await new Promise(resolve => child.on('close', resolve));
  const printed = stdout.split(endOfBlock);
  if (code !== 0) throw new Error(`block ${printed.length} ended with ${code}: ${stderr}\n${printed.at(-1)}`);
  return printed.slice(0, -1);
}

describe.skipIf(missing.length > 0)(
  `docs/migrating.md (missing here: ${missing.join(', ') || 'nothing'})`,
  async () => {
    const [old, fresh] = await Promise.all([startApp(), startApp()]);

    test('its commands move a service, and print what it says', { timeout: 240_000 }, async () => {
      const key = await loadDemo(old.orm);
      const env = { OLD_URL: old.url, CARTE_OLD_KEY: key, NEW_URL: fresh.url, DATABASE_URL: urlOf(fresh.orm) };
      expect(await runAll(env)).toEqual(blocks.map(block => block.printed));
      const countOrders = ({ orm }: typeof old) => orm.em.fork().execute('select count(*)::int as n from orders');
      expect(await countOrders(fresh)).toEqual(await countOrders(old));
      const keys = await fresh.orm.em
        .fork()
        .execute<object[]>("select name from api_key where name <> 'test' and revoked_at is null order by name");
      expect(keys).toEqual(
        ['brooklyn-dumbo', 'lisbon-baixa', 'mexico-roma', 'tokyo-yanaka'].map(store => ({ name: `till of ${store}` })),
      );
    });
  },
);
