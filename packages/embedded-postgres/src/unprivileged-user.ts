import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '@carte/base/errors';
import { currentUser, type DataDirectory, type Owner, ownerOf } from './data-directory.ts';

/** The user that runs PostgreSQL, which refuses to run as root; `uid` and `gid` own its files outside of a user namespace. */
export interface ServerUser extends Owner {
  readonly inNamespace: boolean;
}

/** initdb requires a user with a name, and uid 1 has one on every system. */
const unprivilegedId = 1;
/** Nothing of this process's environment: it has secrets, and variables that PostgreSQL would read as its own settings. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The command that runs a program as the user. */
export function commandAs({ uid, gid, inNamespace }: ServerUser, program: string, args: readonly string[]) {
  const options = { uid, gid, cwd: '/', env: environment };
  if (!inNamespace) return { file: program, args, options };
  const mapping = ['--user', `--map-user=${unprivilegedId}`, `--map-group=${unprivilegedId}`];
  return { file: 'unshare', args: [...mapping, program, ...args], options };
}

export async function runAs(user: ServerUser, program: string, args: readonly string[]): Promise<string> {
  const command = commandAs(user, program, args);
  return (await promisify(execFile)(command.file, command.args, command.options)).stdout;
}

/** The last line that a failed command wrote to stderr, or else the error's message. */
export function lastErrorLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  return stderr.trim().split('\n').at(-1) || (error instanceof Error ? error.message : String(error));
}

/** Finds a user that can run PostgreSQL, makes it the owner of the data directory, and returns it with PostgreSQL's major version. */
export async function chooseServerUser(
  directory: DataDirectory,
  postgres: string,
): Promise<ServerUser & { readonly majorVersion: string }> {
  const failures: unknown[] = [];
  for (const user of await candidates(directory)) {
    try {
      const majorVersion = await readMajorVersion(user, directory, postgres);
      await changeOwner(directory, user);
      return { ...user, majorVersion };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new OperatorError(
    `${problemOf(currentUser())} (${lastErrorLine(failures.at(-1))}): run this program as an ordinary user, or use a PostgreSQL server of your own.`,
    { cause: new AggregateError(failures) },
  );
}

function problemOf({ uid }: Owner): string {
  if (uid === 0) {
    return 'PostgreSQL does not run as root, and here it can run neither in a user namespace nor as another user';
  }
  if (!hasName()) {
    return `PostgreSQL does not run as a user without a name (uid ${uid}), and here not in a user namespace either`;
  }
  return 'PostgreSQL cannot be run here';
}

/** Whether the user of this process is known to the system, as one that is given to a container by number is not. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** The user of this process, in a user namespace if PostgreSQL does not run as that user. */
export function currentServerUser(): ServerUser {
  const current = currentUser();
  return { ...current, inNamespace: current.uid === 0 || !hasName() };
}

async function candidates(directory: DataDirectory): Promise<readonly ServerUser[]> {
  const current = currentServerUser();
  if (current.uid !== 0) return [current];
  const owner = await ownerOf(directory.cluster);
  if (owner && owner.uid !== 0) return [{ uid: owner.uid, gid: owner.gid, inNamespace: false }];
  return [current, { uid: unprivilegedId, gid: unprivilegedId, inNamespace: false }];
}

/** Runs the server's binary from the parent of the data directory, so that a directory closed to the user fails early. */
async function readMajorVersion(user: ServerUser, directory: DataDirectory, postgres: string): Promise<string> {
  const script = 'cd -- "$1" && exec "$0" --version';
  const version = await runAs(user, '/bin/sh', ['-c', script, postgres, dirname(directory.root)]);
  return /\d+/.exec(version)?.[0] ?? version;
}

async function changeOwner(directory: DataDirectory, user: ServerUser): Promise<void> {
  const owners = [await ownerOf(directory.root), await ownerOf(directory.cluster)];
  if (currentUser().uid !== 0 || owners.every(owner => owner === undefined || owner.uid === user.uid)) return;
  await promisify(execFile)('chown', ['-hR', `${user.uid}:${user.gid}`, directory.root]);
}
