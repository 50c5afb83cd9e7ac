import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEmbedded } from '@carte/embedded-postgres';
import { openDataDirectory } from '@carte/embedded-postgres/data-directory';
import { joinServer, leaveServer, readPidFile } from '@carte/embedded-postgres/server';
import { acquireSharedLock, tryExclusiveLock } from '@carte/embedded-postgres/session-lock';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  killServer,
  newFolder,
  queryValue,
  serverPid,
  spawnProgram,
  start,
  startProgram,
} from '../support/embedded.ts';

const created = join(mkdtempSync(join(tmpdir(), 'carte-embedded-')), 'data');
let server: Awaited<ReturnType<typeof startEmbedded>>;

beforeAll(async () => {
  server = await startEmbedded({ dataFolder: created, database: 'carte' });
  await queryValue(server, 'create table saved as select 42 as value');
});
afterAll(() => rmSync(dirname(created), { recursive: true }));

/** A data folder with a stopped server, whose database has a table with a value. It is the same data at a new path each time. */
async function usedFolder(...names: readonly string[]): Promise<string> {
  await server.stop();
  const folder = newFolder(...names);
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(created, folder);
  rmSync(join(folder, 'postgres.log'));
  onTestFinished(() => {
    killServer(folder);
    renameSync(folder, created);
  });
  return folder;
}

const savedValue = 'select value from saved';

describe('startEmbedded', () => {
  test('creates a durable, private server in a new folder, and leaves only data and log behind', async () => {
    const shown = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'jit',
      'listen_addresses',
      'TimeZone',
      'server_encoding',
    ];
    const settings = await queryValue(server, `select array[${shown.map(name => `current_setting('${name}')`)}]`);
    expect(settings).toEqual(['on', 'on', 'on', 'off', '', 'UTC', 'UTF8']);
    expect(await queryValue(server, "select current_database() || ' ' || lower('ÉЖ')")).toBe('carte éж');
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(serverPid(created)).toBeUndefined();
    expect(readdirSync(created).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test.each([
    ['blanks, quotes, commas and umlauts', 'my "böse" \'ord, ner\'', 'data'],
    ['a path too long for a socket', 'long-'.repeat(20), tmpdir()],
  ])('works with %s', async (_case, name, parent) => {
    const folder = await usedFolder(name);
    const server = await start(folder);
    const socketFolder = server.connection.host;
    expect(await queryValue(server, savedValue)).toBe(42);
    expect(dirname(socketFolder)).toBe(parent === 'data' ? folder : parent);
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(socketFolder)).toBe(false);
  });
});

describe('Several programs', () => {
  test('can start in a new folder and stop at the same time', async () => {
    const folder = newFolder();
    const programs = await Promise.all([startProgram(folder), startProgram(folder)]);
    expect(await Promise.all(programs.map(program => program.stop()))).toEqual([0, 0]);
    expect(serverPid(folder)).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test('share one server until the last one stops; Ctrl-C in the terminal of one does not reach it', async () => {
    const folder = await usedFolder();
    const program = await startProgram(folder);
    const pid = serverPid(folder);
    process.kill(-program.pid, 'SIGINT');
    const server = await start(folder);
    expect(await program.stop()).toBe(0);
    expect(await queryValue(server, savedValue)).toBe(42);
    expect(serverPid(folder)).toBe(pid);
    await server.stop();
    expect(serverPid(folder)).toBeUndefined();
  });

  test('can join while another one is stopping the server', async () => {
    const folder = await usedFolder();
    let current = await start(folder);
    for (let round = 0; round < 3; round += 1) {
      const [next] = await Promise.all([start(folder), current.stop()]);
      expect(await queryValue(next, savedValue)).toBe(42);
      current = next;
    }
  });
});

test('a pid file that the server is writing is read up to its last complete line', async () => {
  const directory = await openDataDirectory(newFolder());
  mkdirSync(directory.cluster);
  const path = join(directory.cluster, 'postmaster.pid');
  writeFileSync(path, `4711\n${directory.cluster}\n1700000000\n5432\n/`);
  expect(await readPidFile(directory)).toEqual({ pid: 4711, socketDirectory: undefined });
  appendFileSync(path, 'run/socket\n');
  expect(await readPidFile(directory)).toEqual({ pid: 4711, socketDirectory: '/run/socket' });
  rmSync(path);
});

test('no program can join between the last unlock and the end of the server or of the program that stops it', async () => {
  const directory = await openDataDirectory(await usedFolder());
  const first = await joinServer(directory, { fsync: 'off' });
  const second = await acquireSharedLock(first.socketDirectory);
  if (!second) throw new Error('the second program could not join');
  expect(await tryExclusiveLock(second)).toBe(false);
  await second.client.end();

  expect(await tryExclusiveLock(first)).toBe(true);
  expect(await acquireSharedLock(first.socketDirectory)).toBeUndefined();

  await first.client.end();
  const third = await joinServer(directory, {});
  expect(third.pid).toBe(first.pid);
  await leaveServer(directory, third);
  expect(serverPid(directory.root)).toBeUndefined();
});

describe('After kill -9', () => {
  test('of the program, the next one joins its server', async () => {
    const folder = await usedFolder();
    const program = await startProgram(folder);
    const pid = serverPid(folder);
    await program.kill();
    const server = await start(folder);
    expect(await queryValue(server, savedValue)).toBe(42);
    expect(serverPid(folder)).toBe(pid);
    await server.stop();
    expect(serverPid(folder)).toBeUndefined();
  });

  test('of the program during initdb, the next one creates the cluster', async () => {
    const folder = newFolder();
    const program = spawnProgram(folder);
    const isInitializing = () =>
      existsSync(folder) && readdirSync(folder).some(name => name.startsWith('postgres.new-'));
    await vi.waitUntil(isInitializing, { timeout: 60_000 });
    program.kill('SIGKILL');
    await vi.waitUntil(() => program.signalCode, { timeout: 60_000 });
    const server = await start(folder);
    expect(await queryValue(server, 'select 1')).toBe(1);
    expect(readdirSync(folder).filter(name => name.startsWith('postgres.new-'))).toEqual([]);
  });

  test('of the server, its program restarts it and still shares it with others', async () => {
    const folder = await usedFolder();
    const server = await start(folder);
    const pid = serverPid(folder);
    killServer(folder);
    await expect.poll(() => queryValue(server, savedValue).catch(() => 'down'), { timeout: 60_000 }).toBe(42);
    expect(serverPid(folder)).not.toBe(pid);
    const program = await startProgram(folder);
    await program.stop();
    expect(await queryValue(server, savedValue)).toBe(42);
  });

  test('of both, the next program recovers the data, even if the old pid belongs to another process', async () => {
    const folder = await usedFolder();
    const program = await startProgram(folder);
    // First, since it would start the server again.
    await program.kill();
    const pid = killServer(folder);
    const bystander = spawn('sleep', ['60']);
    onTestFinished(() => {
      bystander.kill();
    });
    for (const file of ['postgres/postmaster.pid', 'socket/.s.PGSQL.5432.lock']) {
      const lock = join(folder, file);
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(String(pid), String(bystander.pid)));
    }
    const server = await start(folder);
    expect(await queryValue(server, savedValue)).toBe(42);
    expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).toContain('automatic recovery in progress');
  });
});
