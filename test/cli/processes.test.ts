import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isNewConnection, startLoad } from '../http/load.ts';
import { isAlive, processesOf, waitUntil } from '../http/processes.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run, runProcess, start, temporaryFolder, waitForOutput } from './support.ts';

describe('carte serve with several processes', { timeout: 120_000 }, () => {
  test('loads the demo once; after kill -9 of the primary, workers answer pending requests, stop the embedded database and end', async () => {
    const folder = temporaryFolder();
    const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: '2' };
    // A machine that stands still for a second would have load shed.
    const service = start(['serve'], { ...env, CARTE_MAX_DELAY_MS: '60000' });
    const printed = await waitForOutput(service, 'Carte is ready at ');
    const url = /Carte is ready at (\S+)/.exec(printed)?.[1] ?? '';
    const key = /carte_[\w-]{43}/.exec(printed)?.[0] ?? '';
    const stores = await fetch(`${url}/v1/stores/`, { headers: { 'x-api-key': key } });
    expect(await stores.json()).toHaveLength(4);
    const listed = await run(['key', 'list'], env);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout.match(/\bdemo\b/g)).toHaveLength(1);
    const processes = await processesOf(url);
    let isKilled = false;
    const { outcomes, dropped, ended } = startLoad(
      { url, path: '/v1/stores/lisbon-baixa/menu_configuration/', key },
      error => isKilled && isNewConnection(error),
    );
    await waitUntil(() => outcomes.length > 24);
    isKilled = true;
    service.child.kill('SIGKILL');
    await service.ended;
    await ended;
    await waitUntil(() => !processes.some(isAlive));
    expect(dropped).toEqual([]);
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('reports in one line that no process becomes ready, after what they report themselves', async () => {
    // Fails in the workers alone; test/http/processes.test.ts has one that cannot read a file of its settings.
    const failing = `if (process.argv[2] === 'worker') throw new Error('out of order');`;
    const { code, stdout, stderr } = await runProcess(['serve'], {
      ...{ DATABASE_URL: urlOf(await createDatabase()), PORT: '0', CARTE_PROCESSES: '2', CARTE_LOG_LEVEL: 'silent' },
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(failing)}`,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.match(/Error: out of order/g)).toHaveLength(2);
    expect(stderr).toMatch(/\ncarte: No process became ready; the last one: status 1\.\n$/);
  });

  test('`worker` is no command of its own', async () => {
    const { code, stderr } = await runProcess(['worker'], {});
    expect(code).toBe(1);
    expect(stderr).toBe('carte: A worker is started by `carte serve` alone, when CARTE_PROCESSES is more than 1.\n');
  });
});
