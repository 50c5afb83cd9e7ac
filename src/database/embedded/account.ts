import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import type { Binaries } from './binaries.ts';
import { lastWords } from './failure.ts';
import { type DataFolder, type Owner, ownerOf, self } from './folder.ts';

/** Whom PostgreSQL runs as: it refuses root. The owner is the one that its files have, seen from this program. */
export interface Account extends Owner {
  readonly inNamespace: boolean;
}

interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: {
    readonly uid: number;
    readonly gid: number;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
}

/** initdb insists on a user with a name, and every system names number 1. */
const unprivileged = 1;
/** PostgreSQL gets none of this program's variables: some are secrets, and some it would take for its own settings. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

export function invoke(account: Account, program: string, args: readonly string[]): Invocation {
  const { uid, gid } = account;
  const options = { uid, gid, cwd: '/', env: environment };
  if (!account.inNamespace) return { file: program, args, options };
  const mapped = ['--user', `--map-user=${unprivileged}`, `--map-group=${unprivileged}`, program, ...args];
  return { file: 'unshare', args: mapped, options };
}

export async function run(account: Account, program: string, args: readonly string[]): Promise<string> {
  const { file, args: all, options } = invoke(account, program, args);
  return (await promisify(execFile)(file, all, options)).stdout;
}

/** Finds the account that can run PostgreSQL here, and says which major version that is. */
export async function chooseAccount(folder: DataFolder, binaries: Binaries): Promise<Account & { major: string }> {
  const failures: unknown[] = [];
  for (const account of await candidates(folder)) {
    try {
      const major = await tryVersion(account, folder, binaries);
      await give(folder, account);
      return { ...account, major };
    } catch (error) {
      failures.push(error);
    }
  }
  const problem =
    self().uid === 0
      ? 'PostgreSQL does not run as root, and here it can run neither in a user namespace nor as another user'
      : 'PostgreSQL cannot be run here';
  throw new OperatorError(
    `${problem} (${lastWords(failures.at(-1))}): run Carte as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
    { cause: new AggregateError(failures) },
  );
}

async function candidates(folder: DataFolder): Promise<readonly Account[]> {
  const me = self();
  if (me.uid !== 0) return [{ ...me, inNamespace: false }];
  const owner = await ownerOf(folder.cluster);
  if (owner && owner.uid !== 0) return [{ uid: owner.uid, gid: owner.gid, inNamespace: false }];
  return [
    { ...me, inNamespace: true },
    { uid: unprivileged, gid: unprivileged, inNamespace: false },
  ];
}

/** Runs the real program from where it is to run, so that a folder closed to the account shows at once. */
async function tryVersion(account: Account, folder: DataFolder, binaries: Binaries): Promise<string> {
  const script = 'cd -- "$1" && exec "$0" --version';
  const version = await run(account, '/bin/sh', ['-c', script, binaries.postgres, dirname(folder.root)]);
  return /\d+/.exec(version)?.[0] ?? version;
}

async function give(folder: DataFolder, account: Account): Promise<void> {
  const owners = [await ownerOf(folder.root), await ownerOf(folder.cluster)];
  if (self().uid !== 0 || owners.every(owner => owner === undefined || owner.uid === account.uid)) return;
  await promisify(execFile)('chown', ['-hR', `${account.uid}:${account.gid}`, folder.root]);
}
