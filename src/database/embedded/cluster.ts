import { chown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { type Account, run } from './account.ts';
import type { Binaries } from './binaries.ts';
import { codeOf, ifAbsent, lastWords } from './failure.ts';
import type { DataFolder } from './folder.ts';

interface Making {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly sync: boolean;
}

// Text compares and changes case by PostgreSQL's own Unicode tables, the same on every system; only pg_trgm and full
// text search still ask the system what a letter is, by LC_CTYPE.
const locale = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
];

/** The major version of the cluster; undefined where there is none. */
export async function clusterVersion(folder: DataFolder): Promise<string | undefined> {
  const text = await readFile(join(folder.cluster, 'PG_VERSION'), 'utf8').catch(ifAbsent(undefined));
  return text?.trim();
}

/** A cluster appears under its name only when it is whole, so that a program killed half-way leaves none behind. */
export async function makeCluster(folder: DataFolder, { binaries, account, sync }: Making): Promise<void> {
  const draft = await mkdtemp(`${folder.cluster}.new-${process.pid}-`);
  try {
    await chown(draft, account.uid, account.gid);
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...locale, ...(sync ? [] : ['--no-sync'])];
    await run(account, binaries.initdb, ['-D', draft, ...options]);
    await rename(draft, folder.cluster);
    if (sync) await syncFolder(folder.root);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    // Another program that started at the same time was faster, and its cluster is as good.
    if ((await clusterVersion(folder)) !== undefined) return;
    const reason = codeOf(cause) === 'ENOTEMPTY' ? 'other files lie there' : lastWords(cause);
    throw new OperatorError(
      `PostgreSQL could not make its files in "${folder.cluster}" (${reason}): ` +
        'make room there, or set CARTE_DATA to another folder.',
      { cause },
    );
  }
}

/** Removes what killed programs left half made. */
export async function removeAbandoned(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.root)) {
    const pid = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // initdb may outlive the killed program for a moment and write while it is removed.
    await rm(join(folder.root, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
