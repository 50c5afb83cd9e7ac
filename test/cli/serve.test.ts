import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run, start, temporaryFolder, untilSaid } from './support.ts';

describe('carte serve', () => {
  test('loads the demo once, prints a key that works, and starts again on what it kept after kill -9', async () => {
    const env = { CARTE_DATA: temporaryFolder(), PORT: '0' };
    const first = start(['serve'], env);
    const said = await untilSaid(first, 'Carte is ready at ');
    const key = /carte_[\w-]{43}/.exec(said)?.[0] ?? '';
    const url = (text: string) => /Carte is ready at (\S+)/.exec(text)?.[1] ?? '';
    const count = async (address: string) => {
      const response = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ query: '{ stores { id orders { count } } }' }),
      });
      return (await response.json()) as object;
    };
    const shown = await count(url(said));
    expect(shown).toMatchObject({ data: { stores: [{}, {}, {}, {}] } });

    first.child.kill('SIGKILL');
    await first.ended;
    const second = start(['serve'], env);
    const saidAgain = await untilSaid(second, 'Carte is ready at ');
    expect(saidAgain).not.toContain('carte_');
    expect(await count(url(saidAgain))).toEqual(shown);

    const listed = await run(['key', 'list'], env);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('ends with the `npm start` process that started it', async () => {
    const env = { ...process.env, CARTE_DATA: temporaryFolder(), CARTE_DEMO: 'off', PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: fileURLToPath(new URL('../../', import.meta.url)), env });
    onTestFinished(() => void npm.kill('SIGKILL'));
    let said = '';
    for await (const chunk of npm.stdout) {
      said += chunk;
      if (said.includes('Carte is ready at ')) break;
    }
    const url = /Carte is ready at (\S+)/.exec(said)?.[1] ?? '';
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expect
      .poll(
        () =>
          fetch(url).then(
            ({ status }) => status,
            () => 'closed',
          ),
        { timeout: 10_000 },
      )
      .toBe('closed');
  });

  test('says in one line that a port is in use', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { code, stdout, stderr } = await run(['serve'], { PORT: port, CARTE_DATA: temporaryFolder() });
    blocker.close();
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `carte: Port ${port} on 127.0.0.1 is in use; set PORT to another one.\n`,
    });
  });

  test('names every error of its settings at once', async () => {
    const { code, stderr } = await run(['serve'], { PORT: 'x', CARTE_DEMO: 'yes', DATABASE_URL: 'mysql://host/db' });
    expect(code).toBe(1);
    expect(stderr).toBe(
      [
        'carte: Bad configuration:',
        '  PORT is "x"; it must be a whole number from 0 to 65535',
        '  DATABASE_URL is not a PostgreSQL URL such as postgresql://user:password@host:5432/database',
        '  CARTE_DEMO is "yes"; it must be one of on, off\n',
      ].join('\n'),
    );
  });

  test('says in one line that a database cannot be reached, without its password', async () => {
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^carte: The database cannot be used: .*ECONNREFUSED.*\n$/);
    expect(stderr).not.toContain('secret');
  });

  test('does not load the demo into a database of yours', async () => {
    const orm = await createDatabase();
    const server = start(['serve'], { DATABASE_URL: urlOf(orm), PORT: '0' });
    await untilSaid(server, 'Carte is ready at ');
    expect(await orm.em.fork().execute('select count(*)::int as n from store')).toEqual([{ n: 0 }]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
  });
});

describe('carte', () => {
  test.each([
    [['frobnicate'], "error: unknown command 'frobnicate'"],
    [['serve', '--fast'], "error: unknown option '--fast'"],
    [['import', 'dishes', '-'], "error: command-argument value 'dishes' is invalid for argument 'kind'"],
    [['key', 'create'], "error: required option '--name <name>' not specified"],
  ])('%j is refused with the reason', async (args, reason) => {
    const { code, stdout, stderr } = await run(args, {});
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
  });

  test('--help shows every command', async () => {
    const { code, stdout } = await run(['--help'], {});
    expect(code).toBe(0);
    for (const command of ['serve', 'migrate', 'import', 'key'])
      expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'));
  });
});
