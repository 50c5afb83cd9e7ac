import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '@carte/embedded-postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asUser, canBeNobody, canBeUser, newFolder, serverPid, start, startProgram } from '../support/embedded.ts';

describe('startEmbedded fails with a remedy for', () => {
  test('a data folder that is a file', async () => {
    const folder = newFolder();
    writeFileSync(folder, '');
    await expect(startEmbedded({ dataFolder: folder })).rejects.toThrow(
      `The data folder "${folder}" is not a folder: move that file away, or choose another data folder.`,
    );
    await expect(startEmbedded({ dataFolder: join(folder, 'below') })).rejects.toThrow('is not a folder');
  });

  test.runIf(canBeUser)('a data folder that is not writable', async () => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o555 });
    await expect(startProgram(folder, asUser)).rejects.toThrow(
      `The data folder "${folder}" cannot be written (EACCES): let this user write there, or choose another data folder.`,
    );
  });

  test.runIf(canBeNobody)('data that another user owns', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'postgres'), { recursive: true });
    chmodSync(folder, 0o777);
    await expect(startProgram(folder, asUser)).rejects.toThrow(
      `The data in "${join(folder, 'postgres')}" belongs to another user (uid 0): run this program as that user`,
    );
  });

  test('data of another major version', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'postgres'), { recursive: true });
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '17\n');
    await expect(startEmbedded({ dataFolder: folder })).rejects.toThrow(
      `"${join(folder, 'postgres')}" holds data of PostgreSQL 17, and this is PostgreSQL 18: migrate the data`,
    );
  });

  test('other files in the cluster directory', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'postgres'), { recursive: true });
    writeFileSync(join(folder, 'postgres', 'notes.txt'), 'mine');
    await expect(startEmbedded({ dataFolder: folder })).rejects.toThrow(
      `PostgreSQL could not create its data folder "${join(folder, 'postgres')}" (it has other files): make room there`,
    );
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  test('a setting that PostgreSQL rejects, with the end of its log, and a socket directory that others can open', async () => {
    const folder = newFolder('long-'.repeat(20));
    const attempt = startEmbedded({ dataFolder: folder, settings: { fsync: 'off', shared_buffers: 'much' } });
    await expect(attempt).rejects.toThrow(/did not start; its log .*\n.*invalid value for parameter "shared_buffers"/s);
    expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres.log']);

    const server = await start(folder);
    const { host } = server.connection;
    await server.stop();
    mkdirSync(host);
    onTestFinished(() => rmSync(host, { recursive: true }));
    await expect(startEmbedded({ dataFolder: folder })).rejects.toThrow(`"${host}" must be a folder that only user`);
    expect(serverPid(folder)).toBeUndefined();
  });
});
