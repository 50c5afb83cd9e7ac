import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbedded } from '../../src/database/embedded.ts';
import { ask, newFolder, serverPid, spawnProgram, start, startProgram } from '../support/embedded.ts';

const template = mkdtempSync(join(tmpdir(), 'carte-template-'));

beforeAll(async () => {
  const server = await startEmbedded({ dataFolder: template, settings: { fsync: 'off' } });
  await ask(server, 'create table kept as select 42 as answer');
  await server.stop();
});
afterAll(() => rmSync(template, { recursive: true }));

/** A data folder that was in use before: its database holds a table with the answer. */
function usedFolder(...names: readonly string[]): string {
  const folder = newFolder(...names);
  cpSync(template, folder, { recursive: true });
  chmodSync(join(folder, 'postgres'), 0o700);
  return folder;
}

const answer = 'select answer from kept';

describe('startEmbedded', () => {
  test('makes a durable, private server in a new folder, and leaves only data and log behind', async () => {
    const folder = newFolder();
    const server = await startEmbedded({ dataFolder: folder });
    const shown = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'jit',
      'listen_addresses',
      'TimeZone',
      'server_encoding',
    ];
    const settings = await ask(server, `select array[${shown.map(name => `current_setting('${name}')`)}]`);
    expect(settings).toEqual(['on', 'on', 'on', 'off', '', 'UTC', 'UTF8']);
    expect(await ask(server, "select current_database() || ' ' || lower('ÉЖ')")).toBe('carte éж');
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(serverPid(folder)).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test.each([
    ['blanks, quotes, commas and umlauts', 'my "böse" \'ord, ner\'', 'data'],
    ['a path too long for a socket', 'long-'.repeat(20), tmpdir()],
  ])('works with %s', async (_case, name, place) => {
    const folder = usedFolder(name);
    const server = await start(folder);
    const socketFolder = server.connection.host;
    expect(await ask(server, answer)).toBe(42);
    expect(dirname(socketFolder)).toBe(place === 'data' ? folder : place);
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(socketFolder)).toBe(false);
  });
});

describe('several programs', () => {
  test('start at once on a new folder and all leave at once', async () => {
    const folder = newFolder();
    const programs = await Promise.all([1, 2, 3, 4].map(() => startProgram(folder)));
    expect(await Promise.all(programs.map(program => program.leave()))).toEqual([0, 0, 0, 0]);
    expect(serverPid(folder)).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test('share one server until the last one leaves', async () => {
    const folder = usedFolder();
    const program = await startProgram(folder);
    const pid = serverPid(folder);
    const server = await start(folder);
    expect(await program.leave()).toBe(0);
    expect(await ask(server, answer)).toBe(42);
    expect(serverPid(folder)).toBe(pid);
    await server.stop();
    expect(serverPid(folder)).toBeUndefined();
  });

  test('never lose a server to one that is leaving', async () => {
    const folder = usedFolder();
    let current = await start(folder);
    for (let round = 0; round < 10; round += 1) {
      const [next] = await Promise.all([start(folder), current.stop()]);
      expect(await ask(next, answer)).toBe(42);
      current = next;
    }
  });
});

describe('after kill -9', () => {
  test('of the program, the next one adopts its server', async () => {
    const folder = usedFolder();
    const program = await startProgram(folder);
    const pid = serverPid(folder);
    await program.kill();
    const server = await start(folder);
    expect(await ask(server, answer)).toBe(42);
    expect(serverPid(folder)).toBe(pid);
    await server.stop();
    expect(serverPid(folder)).toBeUndefined();
  });

  test('of the program while it makes the cluster, the next one makes it anew', async () => {
    const folder = newFolder();
    const program = spawnProgram(folder);
    const isBegun = () => existsSync(folder) && readdirSync(folder).some(name => name.startsWith('postgres.new-'));
    await vi.waitUntil(isBegun, { timeout: 20_000, interval: 10 });
    program.kill('SIGKILL');
    await vi.waitUntil(() => program.signalCode);
    const server = await start(folder);
    expect(await ask(server, 'select 1')).toBe(1);
    expect(readdirSync(folder).filter(name => name.startsWith('postgres.new-'))).toEqual([]);
  });

  test('of the server, whoever uses it gets it back and keeps it', async () => {
    const folder = usedFolder();
    const server = await start(folder);
    const pid = serverPid(folder);
    killServer(folder);
    await expect.poll(() => ask(server, answer).catch(() => 'down'), { timeout: 20_000 }).toBe(42);
    expect(serverPid(folder)).not.toBe(pid);
    const program = await startProgram(folder);
    await program.leave();
    expect(await ask(server, answer)).toBe(42);
  });

  test('of both, the next program recovers the data, even if the old process number is in use again', async () => {
    const folder = usedFolder();
    const program = await startProgram(folder);
    const pid = killServer(folder);
    await program.kill();
    const bystander = spawn('sleep', ['60']);
    onTestFinished(() => {
      bystander.kill();
    });
    for (const file of ['postgres/postmaster.pid', 'socket/.s.PGSQL.5432.lock']) {
      const lock = join(folder, file);
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(String(pid), String(bystander.pid)));
    }
    const server = await start(folder);
    expect(await ask(server, answer)).toBe(42);
    expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).toContain('automatic recovery in progress');
  });

  function killServer(folder: string): number {
    const pid = serverPid(folder);
    if (!pid) throw new Error('no server runs');
    process.kill(pid, 'SIGKILL');
    return pid;
  }
});

test('the server does not hear Ctrl-C in the terminal of its program', async () => {
  const folder = usedFolder();
  const program = await startProgram(folder);
  const pid = serverPid(folder);
  process.kill(-program.pid, 'SIGINT');
  const server = await start(folder);
  expect(await ask(server, answer)).toBe(42);
  expect(serverPid(folder)).toBe(pid);
  expect(await program.leave()).toBe(0);
});
