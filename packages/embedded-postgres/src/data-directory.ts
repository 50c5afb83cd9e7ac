import { createHash } from 'node:crypto';
import { access, chown, constants, lstat, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { codeOf, OperatorError } from '@carte/base/errors';

/** The paths below `CARTE_DATA`, without symbolic links: two names of one directory mean one server. */
export interface DataDirectory {
  readonly root: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  readonly log: string;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const root = await createWritable(resolve(path));
  const directory = { root, cluster: join(root, 'postgres'), log: join(root, 'postgres.log') };
  const owner = await ownerOf(directory.cluster);
  if (owner && owner.uid !== currentUser().uid && currentUser().uid !== 0) {
    throw new OperatorError(
      `The data in "${directory.cluster}" belongs to another user (uid ${owner.uid}): ` +
        'run this program as that user, or choose another data folder.',
    );
  }
  return directory;
}

/** The user of this process. */
export function currentUser(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

export async function ownerOf(path: string): Promise<Owner | undefined> {
  return stat(path).catch(ignoring('ENOENT'));
}

/** Handles system errors with these codes: the result is undefined. */
export function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return error => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}

async function createWritable(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (cause) {
    const code = codeOf(cause);
    throw new OperatorError(
      code === 'EEXIST' || code === 'ENOTDIR'
        ? `The data folder "${path}" is not a folder: move that file away, or choose another data folder.`
        : `The data folder "${path}" cannot be written (${code}): let this user write there, or choose another data folder.`,
      { cause },
    );
  }
}

export const port = 5432;
/** The shortest limit of `sun_path`: macOS takes 103 bytes, Linux 107. */
const maxSocketPathBytes = 103;

/** Creates the socket's directory, accessible to its owner alone: connections through it need no password. */
export async function createSocketDirectory(directory: DataDirectory, owner: Owner): Promise<string> {
  const path = socketDirectoryOf(directory);
  const isNew = await mkdir(path, { mode: 0o700 }).then(() => true, ignoring('EEXIST'));
  if (isNew) await chown(path, owner.uid, owner.gid);
  await checkSocketDirectory(path, owner);
  return path;
}

function socketDirectoryOf({ root }: DataDirectory): string {
  const path = join(root, 'socket');
  if (Buffer.byteLength(join(path, `.s.PGSQL.${port}`)) <= maxSocketPathBytes) return path;
  const digest = createHash('sha256').update(root).digest('hex');
  return join(tmpdir(), `carte-${digest.slice(0, 16)}`);
}

/** Returns whether the directory exists; throws if others can open it, since anyone may create that name in the temporary directory. */
export async function checkSocketDirectory(path: string, owner: Owner): Promise<boolean> {
  const found = await lstat(path).catch(ignoring('ENOENT'));
  if (!found) return false;
  if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o077) === 0) return true;
  throw new OperatorError(
    `"${path}" must be a folder that only user ${owner.uid} can open, since it is for PostgreSQL's socket: remove it and start again.`,
  );
}

export async function removeSocketDirectory(path: string): Promise<void> {
  // Not empty: another program is starting the next server.
  await rmdir(path).catch(ignoring('ENOTEMPTY', 'ENOENT'));
}
