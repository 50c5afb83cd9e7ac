import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import {
  canBeNobody,
  isRoot,
  joined,
  newFolder,
  nobody,
  serverPid,
  spawnProgram,
  start,
  startProgram,
} from '../support/embedded.ts';

const unshare = ['unshare', '--user'];
const canMakeNamespaces = isRoot && spawnSync('env', [...unshare, 'true']).status === 0;
const forbidNamespaces = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"';

/** As a container may be given one. */
const nameless = 54_321;

/** The uid in the namespace of the server, that outside of it, and how many follow. */
function uidMap(folder: string): number[] {
  return readFileSync(`/proc/${serverPid(folder)}/uid_map`, 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
}

function filesOfOthers(folder: string, uid: number): string {
  // Its status is not 0 where a running server has removed a file meanwhile.
  return spawnSync('find', [folder, '!', '-uid', String(uid)], { encoding: 'utf8' }).stdout;
}

describe.runIf(isRoot)('As root', () => {
  test.runIf(canMakeNamespaces)('PostgreSQL runs in a user namespace, and root owns its files', async () => {
    // The server of all tests is one.
    const client = new pg.Client(inject('direct'));
    await client.connect();
    const { rows } = await client.query('show data_directory');
    await client.end();
    const folder = dirname(rows[0].data_directory);
    expect(uidMap(folder)).toEqual([1, 0, 1]);
    expect(filesOfOthers(folder, 0)).toBe('');
  });

  test.runIf(canBeNobody)('data that another user owns is served as that user', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    chownSync(folder, nobody, nobody);
    const program = await startProgram(folder, { uid: nobody });
    expect(await program.stop()).toBe(0);
    const server = await start(folder);
    expect(statSync(`/proc/${serverPid(folder)}`).uid).toBe(nobody);
    await server.stop();
    expect(filesOfOthers(folder, nobody)).toBe('');
  });

  test.runIf(canMakeNamespaces && canBeNobody)(
    'a user without a name runs PostgreSQL in a user namespace',
    async () => {
      const folder = newFolder();
      mkdirSync(folder);
      chownSync(folder, nameless, nameless);
      const program = await startProgram(folder, { uid: nameless });
      expect(uidMap(folder)).toEqual([1, nameless, 1]);
      expect(await program.stop()).toBe(0);
      expect(filesOfOthers(folder, nameless)).toBe('');
    },
  );

  test.runIf(canMakeNamespaces && canBeNobody)(
    'without user namespaces, PostgreSQL runs as uid 1, which then owns the data folder',
    async () => {
      const folder = newFolder();
      const program = await joined(await spawnWithoutNamespaces(folder));
      expect(statSync(`/proc/${serverPid(folder)}`).uid).toBe(1);
      expect(await program.stop()).toBe(0);
      expect(filesOfOthers(folder, 1)).toBe('');
    },
  );

  test.runIf(canMakeNamespaces)('without user namespaces and other users, starting fails with a remedy', async () => {
    const wrapper = [...unshare, '--map-root-user', 'sh', '-c', forbidNamespaces];
    await expect(startProgram(newFolder(), { wrapper })).rejects.toThrow(
      /PostgreSQL does not run as root, .*: run this program as an ordinary user, or use a PostgreSQL server of your own\./,
    );
  });
});

/** Spawns a program as root with all uids mapped, as in a container, but without the right to create a user namespace. */
async function spawnWithoutNamespaces(folder: string) {
  const waitForUsers = `read go; exec sh -c '${forbidNamespaces}' "$0" "$@"`;
  const program = spawnProgram(folder, { wrapper: [...unshare, 'sh', '-c', waitForUsers] });
  await once(program, 'spawn');
  await vi.waitUntil(() => readlinkSync(`/proc/${program.pid}/ns/user`) !== readlinkSync('/proc/self/ns/user'));
  for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${program.pid}/${map}`, '0 0 65536');
  program.stdin?.write('go\n');
  return program;
}
