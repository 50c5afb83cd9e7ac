import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, processesOf, until } from '../http/processes.ts';
import { startService } from '../http/service.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run, start, temporaryFolder, untilSaid } from './support.ts';

const timeout = 120_000;

describe('carte serve with several processes', { timeout }, () => {
  test('loads the demo once, and after kill -9 of the primary the last to leave stops the embedded database', async () => {
    const folder = temporaryFolder();
    const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: '2' };
    const service = start(['serve'], env);
    const said = await untilSaid(service, 'Carte is ready at ');
    const url = /Carte is ready at (\S+)/.exec(said)?.[1] ?? '';
    const key = /carte_[\w-]{43}/.exec(said)?.[0] ?? '';
    const stores = await fetch(`${url}/v1/stores/`, { headers: { 'x-api-key': key } });
    expect(await stores.json()).toHaveLength(4);
    const processes = await processesOf(url);
    service.child.kill('SIGKILL');
    await service.ended;
    await until(() => !processes.some(isAlive));
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
    const listed = await run(['key', 'list'], env);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout.match(/\bdemo\b/g)).toHaveLength(1);
  });

  test('says in one line that no process becomes ready, after what they said themselves', async () => {
    const DATABASE_URL = urlOf(await createDatabase());
    const CARTE_TRUSTED_DOCUMENTS = join(temporaryFolder(), 'absent.json');
    const { code, stdout, stderr } = await run(['serve'], {
      ...{ DATABASE_URL, PORT: '0', CARTE_PROCESSES: '2', CARTE_LOG_LEVEL: 'silent' },
      CARTE_TRUSTED_DOCUMENTS,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('absent.json');
    expect(stderr).toMatch(/\ncarte: No process became ready; the last one: status 1\.\n$/);
  });

  test('SIGHUP brings in what has changed, or keeps the processes where it cannot', async () => {
    const file = join(temporaryFolder(), 'documents.json');
    const [first, other] = ['a'.repeat(64), 'b'.repeat(64)];
    writeFileSync(file, JSON.stringify({ [first]: '{ __typename }' }));
    const service = await startService(await createDatabase(), {
      CARTE_PROCESSES: '2',
      CARTE_TRUSTED_DOCUMENTS: file,
    });
    const answerTo = async (documentId: string) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      return (await fetch(`${service.url}/graphql`, { ...init, body: JSON.stringify({ documentId }) })).text();
    };
    const before = await processesOf(service.url);
    expect(await answerTo(other)).toContain('PERSISTED_QUERY_NOT_IN_LIST');
    writeFileSync(file, JSON.stringify({ [first]: '{ __typename }', [other]: 'query Other { __typename }' }));
    service.child.kill('SIGHUP');
    await until(() => !before.some(isAlive));
    expect(await answerTo(other)).toBe('{"data":{"__typename":"Query"}}\n');
    const renewed = await processesOf(service.url);
    rmSync(file);
    service.child.kill('SIGHUP');
    await until(() => service.output.stderr.includes('did not become ready'));
    expect(await processesOf(service.url)).toEqual(renewed);
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  test('`worker` is no command of its own', async () => {
    const { code, stderr } = await run(['worker'], {});
    expect(code).toBe(1);
    expect(stderr).toBe('carte: A worker is started by `carte serve` alone, when CARTE_PROCESSES is more than 1.\n');
  });
});
