import { chown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, OperatorError } from '@carte/base/errors';
import { type DataDirectory, ignoring } from './data-directory.ts';
import { lastErrorLine, runAs, type ServerUser } from './unprivileged-user.ts';

// PostgreSQL's own Unicode tables compare text and change case, the same on every system; only pg_trgm and full-text search
// still classify letters by the system's LC_CTYPE.
const locale = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
];

/** The major version of the cluster; undefined where none exists. */
export async function readClusterVersion(directory: DataDirectory): Promise<string | undefined> {
  const text = await readFile(join(directory.cluster, 'PG_VERSION'), 'utf8').catch(ignoring('ENOENT'));
  return text?.trim();
}

/** Runs initdb in a temporary directory and renames it when it is complete, so that a killed program leaves no partial cluster. */
export async function createCluster(
  directory: DataDirectory,
  { initdb, user, sync }: { readonly initdb: string; readonly user: ServerUser; readonly sync: boolean },
): Promise<void> {
  const temporary = await mkdtemp(`${directory.cluster}.new-${process.pid}-`);
  try {
    await chown(temporary, user.uid, user.gid);
    const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...locale, ...(sync ? [] : ['--no-sync'])];
    await runAs(user, initdb, ['-D', temporary, ...flags]);
    await rename(temporary, directory.cluster);
    if (sync) await fsyncDirectory(directory.root);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    // Another program that started at the same time was faster, and its cluster is as good.
    if ((await readClusterVersion(directory)) !== undefined) return;
    const reason = codeOf(cause) === 'ENOTEMPTY' ? 'it has other files' : lastErrorLine(cause);
    throw new OperatorError(
      `PostgreSQL could not create its data folder "${directory.cluster}" (${reason}): ` +
        'make room there, or choose another data folder.',
      { cause },
    );
  }
}

/** Removes the temporary directories of killed programs. */
export async function removePartialClusters(directory: DataDirectory): Promise<void> {
  for (const name of await readdir(directory.root)) {
    const pid = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // The killed program's initdb may still be writing.
    await rm(join(directory.root, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function fsyncDirectory(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}
