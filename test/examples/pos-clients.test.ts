import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import { sharedApp } from '../support/app.ts';
import { readExample } from './readme.ts';

const app = await sharedApp();
const { primary } = await createReadAccess(app.orm);

/** Lets requests through to the service, after the given ones were not: a status, or a connection that is cut. */
async function startFront(failures: (number | 'cut')[]) {
  const server = createServer(async (request, response) => {
    const failure = failures.shift();
    if (failure === 'cut') return void request.socket.destroy();
    if (failure !== undefined) {
      return void response.writeHead(failure, { 'retry-after': '0' }).end('{"detail":"Later."}');
    }
    const { method = '', headers } = request;
    const body = method === 'POST' ? await request.toArray() : undefined;
    const answer = await fetch(new URL(request.url ?? '', app.url), {
      method,
      headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' },
      ...(body && { body: Buffer.concat(body) }),
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The commands of a README for a store: all but the last, and the last, which serves until it is ended. */
function commandsOf(example: string, storeId: string, key: string) {
  const { folder, commands } = readExample(example, key);
  const lines = commands.trim().replaceAll(' lisbon-baixa ', ` '${storeId}' `).split('\n');
  return { folder, once: lines.slice(0, -1).join('\n'), serve: [lines[0], `exec ${lines.at(-1)}`].join('\n') };
}

function run(command: string, folder: string, url = app.url) {
  const child = spawn('bash', ['-euc', command], {
    cwd: folder,
    env: { ...process.env, CARTE_URL: url },
    // With a socket as input, a bash of Debian may take itself for a remote shell, and read its start-up files.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (printed.stdout += chunk));
  child.stderr.on('data', chunk => (printed.stderr += chunk));
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  const tickets = () => printed.stdout.split('\n').flatMap(line => (line ? [line.split('  ')[0]] : []));
  return { printed, tickets, ended, kill: () => child.kill('SIGKILL') && ended };
}

const clients = [
  { example: 'pos-python', program: 'python3', stateOption: '--state' },
  { example: 'pos-php', program: 'php', stateOption: '' },
].map(client => ({ ...client, isMissing: spawnSync(client.program, ['--version']).status !== 0 }));

for (const { example, program, stateOption, isMissing } of clients) {
  describe.skipIf(isMissing)(`examples/${example}${isMissing ? ` (${program} is not installed here)` : ''}`, () => {
    test('does what its README shows, and what is wrong is printed', async () => {
      const store = await app.data.store();
      const { folder, once } = commandsOf(example, store.id, app.key);
      const { ended, printed } = run(once, folder);
      expect([await ended, printed.stderr]).toEqual([0, '']);
      expect(printed.stdout).toMatch(/^\d+ menus\n(revision \d+\n){3}PAUSED\nOPEN\n$/);
      const { items } = (await app.get(`/v1/stores/${store.id}/menu_configuration/flat`)).body;
      const bica = items.find((item: { external_id: string }) => item.external_id === 'bica');
      expect([bica.in_stock, bica.price, bica.tax]).toEqual([true, 120, 14]);
      const soldOut = once.split('\n').filter(line => /CARTE_KEY|sold-out/.test(line));
      const wrong = run(soldOut.join('\n').replace('bica', 'soup'), folder);
      expect([await wrong.ended, wrong.printed.stderr]).toEqual([
        1,
        '422 body.items.0.external_id: no item has the external id "soup"\n',
      ]);
    });

    test('takes each order over once: after failures, restarts, and an expired cursor', async () => {
      const store = await app.data.store();
      let minute = 0;
      const place = async (given = {}) => {
        const createdAt = new Date(Date.UTC(2026, 2, 1, 12, minute++));
        return (await app.data.orders(store, 1, { createdAt, ...given }))[0]?.id;
      };
      const statesOf = async () => {
        const { body } = await app.get(`/v1/stores/${store.id}/orders/`);
        return body.order_result_list.map((order: { status: string; in_pos: boolean }) => [order.status, order.in_pos]);
      };
      const state = mkdtempSync(join(tmpdir(), 'carte-pos-'));
      onTestFinished(() => rmSync(state, { recursive: true, force: true }));
      const { folder, serve } = commandsOf(example, store.id, await app.newKey({ storeIds: [store.id] }));
      const command = `${serve} ${stateOption} '${state}/state.json'`;
      const start = async (failures: (number | 'cut')[]) => run(command, folder, await startFront(failures));

      const before = [await place(), await place({ status: 'READY' })];
      await place({ status: 'FULFILLED' });
      const first = await start(['cut', 503, 429]);
      await expect.poll(first.tickets).toEqual(before);
      expect(first.printed.stderr.replace(/in \d\.\d s/g, 'in …')).toMatch(
        /^Carte is unreachable.*; retrying in …\n503 Later\.; retrying in …\n429 Later\.; retrying in …\n$/,
      );
      const third = await place();
      await expect.poll(first.tickets).toEqual([...before, third]);
      await expect.poll(statesOf).toEqual([
        ['ACCEPTED', true],
        ['FULFILLED', false],
        ['READY', true],
        ['ACCEPTED', true],
      ]);
      await first.kill();

      const missed = await place();
      const second = await start([]);
      await expect.poll(second.tickets).toEqual([missed]);
      await expect.poll(async () => (await statesOf())[0]).toEqual(['ACCEPTED', true]);
      await second.kill();

      const lost = await place();
      await sequenceEvents(primary);
      await app.orm.em.fork().execute('delete from event');
      const last = await start([]);
      await expect.poll(last.tickets).toEqual([lost]);
      expect(last.printed.stderr).toBe('The cursor has expired\n');
    });

    test('ends when its key is refused', async () => {
      const { folder, serve } = commandsOf(example, 'any', 'unknown');
      const { ended, printed } = run(serve, folder);
      expect([await ended, printed.stderr]).toEqual([
        1,
        expect.stringMatching(/^401 The API key in the header x-api-key is not known/),
      ]);
    });
  });
}
