/**
 * Packs packages as they are published: as JavaScript with declarations, since Node strips no types below node_modules. What a package exports as
 * `./src/*.ts` in the repository is `./src/*.js` there; npm does not rewrite `exports`, so a package is packed from a folder of its own.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../support/options.ts';

const { to } = readOptions('Packs the packages of the repository into a folder.', { to: '.' });
const root = fileURLToPath(new URL('../', import.meta.url));
const stage = mkdtempSync(join(tmpdir(), 'carte-packages-'));

/** Those of the repository; in its packages npm would warn of them, although `npx node` is as new. */
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** In the order of their dependencies. */
const names = ['base', 'embedded-postgres', 'operations', 'compare'];

/** Compiles all of them at once, each to `src` of a folder of its name. */
function compile(): void {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'packages'),
      outDir: stage,
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: names.map(name => join(root, 'packages', name, 'src')),
  };
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', stage], { stdio: 'inherit' });
}

function publishedExports(exports: Readonly<Record<string, string>>): object {
  const entries = Object.entries(exports).map(([path, file]) => {
    const base = file.replace(/\.ts$/, '');
    return [path, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  return Object.fromEntries(entries);
}

try {
  compile();
  for (const name of names) {
    const [source, target] = [join(root, 'packages', name), join(stage, name)];
    const description = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
    const published = { ...description, engines, exports: publishedExports(description.exports) };
    writeFileSync(join(target, 'package.json'), JSON.stringify(published, null, 2));
    for (const file of ['README.md', 'directives.graphql']) {
      if (existsSync(join(source, file))) cpSync(join(source, file), join(target, file));
    }
    cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(to)], { cwd: target, stdio: 'inherit' });
  }
} finally {
  rmSync(stage, { recursive: true });
}
