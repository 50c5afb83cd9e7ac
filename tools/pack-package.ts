/**
 * What `npm pack` and `npm publish` run in a package: `prepack` makes it one of JavaScript with declarations in `dist`, since Node strips no types below
 * node_modules, and `postpack` undoes that. npm does not rewrite `exports`, so package.json has the others while it packs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = process.cwd();
const description = join(folder, 'package.json');
const saved = join(folder, 'package.json.saved');
const license = join(folder, 'LICENSE');

/** Compiles `src` to `dist`; other packages are read, too. */
function compile(): void {
  const stage = mkdtempSync(join(tmpdir(), 'carte-package-'));
  try {
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'packages'),
      outDir: stage,
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [join(folder, 'src')] };
    writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify(config));
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', stage], { stdio: 'inherit' });
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    cpSync(join(stage, basename(folder), 'src'), join(folder, 'dist'), { recursive: true });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function publishedExports(exports: Readonly<Record<string, string>>): object {
  const entries = Object.entries(exports).map(([path, file]) => {
    const base = file.replace('./src/', './dist/').replace(/\.ts$/, '');
    return [path, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  return Object.fromEntries(entries);
}

function prepare(): void {
  // One that was interrupted has left the package as it is published.
  if (existsSync(saved)) restore();
  compile();
  const { scripts: _, ...source } = JSON.parse(readFileSync(description, 'utf8'));
  // In the packages of the repository npm would warn of the engines, although `npx node` is as new.
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const published = { ...source, engines, exports: publishedExports(source.exports) };
  renameSync(description, saved);
  writeFileSync(description, `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), license);
}

function restore(): void {
  renameSync(saved, description);
  rmSync(license);
}

if (process.argv[2] === '--restore') restore();
else prepare();
