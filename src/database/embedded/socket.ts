import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { codeOf, ifAbsent } from './failure.ts';
import type { DataFolder, Owner } from './folder.ts';

export const port = 5432;
/** The shortest limit of all systems: macOS takes 103 bytes, Linux 107. */
const longestSocket = 103;

/** The folder of the socket. Whoever can open it is let in without a password, so it is open to its owner alone. */
export async function makeSocketFolder(folder: DataFolder, owner: Owner): Promise<string> {
  const path = socketFolder(folder);
  try {
    await mkdir(path, { mode: 0o700 });
    await chown(path, owner.uid, owner.gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await checkPrivate(path, owner);
  return path;
}

function socketFolder(folder: DataFolder): string {
  const near = join(folder.root, 'socket');
  if (Buffer.byteLength(join(near, `.s.PGSQL.${port}`)) <= longestSocket) return near;
  const digest = createHash('sha256').update(folder.root).digest('hex');
  return join(tmpdir(), `carte-${digest.slice(0, 16)}`);
}

/** In the temporary folder anyone may have made a folder of that name before. Says whether it is there at all. */
export async function checkPrivate(path: string, owner: Owner): Promise<boolean> {
  const found = await lstat(path).catch(ifAbsent(undefined));
  if (!found) return false;
  if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o077) === 0) return true;
  throw new OperatorError(
    `"${path}" is to hold PostgreSQL's socket, but is not a folder that user ${owner.uid} alone can open: remove it and start again.`,
  );
}

/** A program that starts the next server may be using the folder already. */
export async function removeSocketFolder(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'ENOENT') throw error;
  }
}
