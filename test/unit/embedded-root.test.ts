import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
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

function filesOfOthers(folder: string, uid: number): string {
  return execFileSync('find', [folder, '!', '-uid', String(uid)], { encoding: 'utf8' });
}

describe.runIf(isRoot)('root', () => {
  test.runIf(canMakeNamespaces)('has PostgreSQL in a user namespace, and keeps its files', async () => {
    const folder = newFolder();
    await start(folder);
    expect(readFileSync(`/proc/${serverPid(folder)}/uid_map`, 'utf8')).toMatch(/^\s+1\s+0\s+1\s+$/);
    expect(filesOfOthers(folder, 0)).toBe('');
  });

  test.runIf(canBeNobody)('runs the data of another user as that user', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    chownSync(folder, nobody, nobody);
    const program = await startProgram(folder, { uid: nobody });
    expect(await program.leave()).toBe(0);
    const server = await start(folder);
    expect(statSync(`/proc/${serverPid(folder)}`).uid).toBe(nobody);
    await server.stop();
    expect(filesOfOthers(folder, nobody)).toBe('');
  });

  test.runIf(canMakeNamespaces && canBeNobody)(
    'without user namespaces has PostgreSQL run as another user, to whom the folder is given',
    async () => {
      const folder = newFolder();
      const program = await joined(await spawnWithoutNamespaces(folder));
      expect(statSync(`/proc/${serverPid(folder)}`).uid).toBe(1);
      expect(await program.leave()).toBe(0);
      expect(filesOfOthers(folder, 1)).toBe('');
    },
  );

  test.runIf(canMakeNamespaces)(
    'who may neither make namespaces nor become another user reads what to do',
    async () => {
      const through = [...unshare, '--map-root-user', 'sh', '-c', forbidNamespaces];
      await expect(startProgram(newFolder(), { through })).rejects.toThrow(
        /PostgreSQL does not run as root, .*: run Carte as an ordinary user, or set DATABASE_URL to a PostgreSQL server\.\n/,
      );
    },
  );
});

/** Root with all users at hand, as in a container, but with no right to make a namespace. */
async function spawnWithoutNamespaces(folder: string) {
  const waitForUsers = `read go; exec sh -c '${forbidNamespaces}' "$0" "$@"`;
  const program = spawnProgram(folder, { through: [...unshare, 'sh', '-c', waitForUsers] });
  await once(program, 'spawn');
  await vi.waitUntil(() => readlinkSync(`/proc/${program.pid}/ns/user`) !== readlinkSync('/proc/self/ns/user'));
  for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${program.pid}/${map}`, '0 0 65536');
  program.stdin?.write('go\n');
  return program;
}
