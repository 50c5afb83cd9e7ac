import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { signalUntilEnded, waitUntil } from '../http/processes.ts';
import { startService } from '../http/service.ts';
import { createDatabase } from '../support/database.ts';
import { run, runProcess, start, temporaryFolder, waitForOutput } from './support.ts';

const urlIn = (printed: string) => /Carte is ready at (\S+)/.exec(printed)?.[1] ?? '';

/** Runs `npm start` and waits until the service is ready. */
async function npmStart(env: Readonly<Record<string, string>>) {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const npm = spawn('npm', ['start'], { cwd, env: { ...process.env, ...env }, detached: true });
  onTestFinished(() => void npm.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of npm.stdout) {
    printed += chunk;
    if (printed.includes('Carte is ready at ')) break;
  }
  return { npm, printed };
}

describe('carte serve', () => {
  test('loads the demo once; the first start that succeeds prints a key for it; `npm start` after kill -9 has the same data, and ends in order on Ctrl-C', async () => {
    const folder = temporaryFolder();
    const env = { CARTE_DATA: folder, PORT: '0' };
    const failing = start(['serve'], { ...env, CARTE_TRUSTED_DOCUMENTS: join(folder, 'absent.json') });
    await waitForOutput(failing, 'Starting PostgreSQL in ', 'stderr');
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
    expect(await failing.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Starting .* …\nLoading the demo restaurants …\ncarte: The trusted documents in .*\n$/,
      ),
    });
    const first = start(['serve'], env);
    const printed = await waitForOutput(first, 'Carte is ready at ');
    expect(first.output.stderr).toBe(`Starting PostgreSQL in ${folder} …\n`);
    const key = /carte_[\w-]{43}/.exec(printed)?.[0] ?? '';
    expect(printed).toContain(`  ${urlIn(printed)}/#key=${key}\n`);
    const send = async (url: string, body: string) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      return (await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()) as object;
    };
    const [, shown = ''] = /-d '(\{"query": .*\})' /.exec(printed) ?? [];
    expect(await send(urlIn(printed), shown)).toMatchObject({
      data: { store: { name: { text: expect.any(String) } } },
    });
    const count = (url: string) =>
      send(url, JSON.stringify({ query: '{ stores { nodes { id orders { totalCount } } } }' }));
    const stored = await count(urlIn(printed));
    expect(stored).toMatchObject({ data: { stores: { nodes: [{}, {}, {}, {}] } } });

    first.child.kill('SIGKILL');
    await first.ended;
    const second = await npmStart(env);
    expect(second.printed).not.toContain('carte_');
    const url = urlIn(second.printed);
    for (const page of ['/graphql', '/docs', '/menu']) expect(second.printed).toContain(`  ${url}${page} `);
    expect(second.printed).toContain('  npm run --silent carte -- key create --name NAME --all --write\n');
    expect(await count(url)).toEqual(stored);

    expect(await run(['key', 'list'], env)).toMatchObject({ code: 0, stderr: '' });
    // As a terminal does: it signals the process group, and npm passes its signal on.
    if (second.npm.pid) process.kill(-second.npm.pid, 'SIGINT');
    await once(second.npm, 'close');
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('does not load the demo into a database of yours; a second signal ends it at once', async () => {
    const orm = await createDatabase();
    const { child, ended, url } = await startService(orm, { CARTE_SHUTDOWN_DELAY_SECONDS: '60' });
    expect(await orm.em.fork().execute('select count(*)::int as n from store')).toEqual([{ n: 0 }]);
    child.kill('SIGTERM');
    await waitUntil(async () => (await fetch(`${url}/health/ready`)).status === 503);
    signalUntilEnded(child);
    expect(await ended).toMatchObject({ code: 1 });
  });

  test('reports in one line that a port is in use', async () => {
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

  test('reports in one line that a database cannot be reached, without its password', async () => {
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^carte: The database cannot be used: .*ECONNREFUSED.*\n$/);
    expect(stderr).not.toContain('secret');
  });
});

describe('carte', () => {
  test.each([
    [['frobnicate'], "error: unknown command 'frobnicate'"],
    [['serve', '--fast'], "error: unknown option '--fast'"],
    [['import', 'dishes', '-'], "error: command-argument value 'dishes' is invalid for argument 'kind'"],
    [['key', 'create'], "error: required option '--name <name>' not specified"],
  ])('%j fails with the reason', async (args, reason) => {
    const { code, stdout, stderr } = await run(args, {});
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
  });

  test.each(['--version', '-V'])('%s prints the version of package.json', async option => {
    const { code, stdout } = await run([option], {});
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${packageJson.version}\n` });
  });

  test('ends without an error if the reader of its output closes the pipe', async () => {
    const { child, ended } = start(['--help'], {});
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('--help lists every command, and loads none of the packages that serve requests', async () => {
    // Prints what is loaded, one address a line.
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
    const { code, stdout, stderr } = await runProcess(['--help'], { NODE_OPTIONS });
    expect(code).toBe(0);
    const packages = stderr.split('\n').flatMap(url => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(['commander']);
    for (const command of ['serve', 'migrate', 'import', 'key'])
      expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'));
  });
});
