import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { codeOf, ifAbsent } from './failure.ts';

/** The data folder. Its paths are real ones: two names of one folder mean one server. */
export interface DataFolder {
  readonly root: string;
  readonly cluster: string;
  readonly log: string;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export async function openFolder(name: string): Promise<DataFolder> {
  const root = await makeWritable(resolve(name));
  const folder = { root, cluster: join(root, 'postgres'), log: join(root, 'postgres.log') };
  const owner = await ownerOf(folder.cluster);
  if (owner && owner.uid !== self().uid && self().uid !== 0) {
    throw new OperatorError(
      `The data in "${folder.cluster}" belongs to another user (uid ${owner.uid}): ` +
        'run Carte as that user, or set CARTE_DATA to another folder.',
    );
  }
  return folder;
}

/** The user whom this program runs as. */
export function self(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

export async function ownerOf(path: string): Promise<Owner | undefined> {
  return stat(path).catch(ifAbsent(undefined));
}

async function makeWritable(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(folder);
  } catch (cause) {
    const code = codeOf(cause);
    throw new OperatorError(
      code === 'EEXIST' || code === 'ENOTDIR'
        ? `The data folder "${folder}" is not a folder: move that file away, or set CARTE_DATA to another folder.`
        : `The data folder "${folder}" cannot be written (${code}): let this user write there, or set CARTE_DATA to another folder.`,
      { cause },
    );
  }
}
