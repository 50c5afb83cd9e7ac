import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { readExample } from '../examples/readme.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
const { folder, commands } = readExample('relay-client', app.key);

async function run(script: string) {
  const env = { ...process.env, CARTE_URL: app.url, CARTE_KEY: app.key };
  const child = spawn('bash', ['-euc', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, output };
}

test('examples/relay-client: Relay compiles its documents, pages orders in both directions and refetches them', {
  timeout: 120_000,
}, async () => {
  // A store and a merchant, and an item and a modifier item, have the same id or number.
  const merchant = await app.data.merchant({ id: 'lisbon-baixa', brandName: 'Casa Azul' });
  const store = await app.data.store({ id: 'lisbon-baixa', merchant: merchant.id });
  await app.data.menu(store);
  await app.data.orders(store, 41);
  const { code, output } = await run(commands);
  expect({ code, lines: output.trim().split('\n').slice(-7) }, output).toEqual({
    code: 0,
    lines: [
      'forward: 20, 40, 41 orders, newest first',
      'refetched: 20 of 41 orders',
      'backward: 20, 40, 41 orders, newest first',
      'refetched: 20 of 41 orders',
      'store lisbon-baixa of merchant lisbon-baixa, Casa Azul',
      'items: item',
      'modifier items: modifier',
    ],
  });
});
