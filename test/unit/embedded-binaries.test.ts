import { execFile } from 'node:child_process';
import { chmodSync, cpSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createMissingLinks, findBinaries } from '@carte/embedded-postgres/binaries';
import { expect, test } from 'vitest';
import { asUser, canBeUser, newFolder } from '../support/embedded.ts';

const run = promisify(execFile);

/** A copy of the package as npm unpacks it without install scripts. */
async function packageWithoutLinks(): Promise<string> {
  const { postgres } = await findBinaries();
  const folder = newFolder();
  cpSync(resolve(dirname(postgres), '../..'), folder, {
    recursive: true,
    filter: file => !lstatSync(file).isSymbolicLink(),
  });
  return folder;
}

test('symbolic links that npm left out are created, by two programs at once', async () => {
  const folder = await packageWithoutLinks();
  const postgres = join(folder, 'native/bin/postgres');
  await expect(run(postgres, ['--version'])).rejects.toThrow('error while loading shared libraries');
  await Promise.all([createMissingLinks(folder), createMissingLinks(folder)]);
  expect((await run(postgres, ['--version'])).stdout).toContain('(PostgreSQL) 18');
});

test.runIf(canBeUser)('missing links in a read-only package fail with its path and a remedy', async () => {
  const folder = await packageWithoutLinks();
  chmodSync(join(folder, 'native/lib'), 0o555);
  const module = new URL('../../packages/embedded-postgres/src/binaries.ts', import.meta.url);
  const source = `import { createMissingLinks } from '${module}'; await createMissingLinks(process.argv[1]);`;
  await expect(run(process.execPath, ['--input-type=module', '-e', source, folder], asUser)).rejects.toThrow(
    /The PostgreSQL libraries in ".*" lack their links, and the folder cannot be written: .* a PostgreSQL server of your own/,
  );
  chmodSync(join(folder, 'native/lib'), 0o755);
});

test('a platform without a package fails with a remedy', async () => {
  await expect(findBinaries('@embedded-postgres/plan9-x64')).rejects.toThrow(
    /@embedded-postgres\/plan9-x64, is not installed: .* use a PostgreSQL server of your own/,
  );
});
