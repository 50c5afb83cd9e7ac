import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Asset, lazyAsset } from './asset.ts';

/** The ES modules of npm packages that pages import, and the font, as they are published. */
const packages: Readonly<Record<string, readonly [entry: string, ...others: string[]]>> = {
  'lit-html': ['lit-html.js', 'directives/guard.js', 'directives/live.js', 'directives/repeat.js'],
  'graphql-ws': ['dist/client.js'],
  'graphql-sse': ['lib/client.mjs'],
  '@humanwhocodes/momoa': ['dist/momoa.js'],
  '@fontsource-variable/figtree': ['files/figtree-latin-ext-wght-normal.woff2'],
};

/** Adds the modules that these import by relative paths, which have no public names. */
function withImports(name: string, modules: readonly string[]): readonly string[] {
  const found = new Set(modules);
  for (const file of found) {
    const imports = readModule(name, file)
      .toString()
      .matchAll(/\b(?:from|import)\s*["'](\.[^"']+)["']/g);
    for (const [, path = ''] of imports) found.add(posix.join(posix.dirname(file), path));
  }
  return [...found];
}

/** These files, with what modules import and their paths below `/web`. */
const files = Object.entries(packages).flatMap(([name, modules]) =>
  withImports(name, modules).map((file, index) => ({
    name,
    file,
    imported: index === 0 ? name : `${name}/${file}`,
    path: `packages/${name}/${file}`,
  })),
);

/** Replaces the names of packages in the imports of a module of `web/` by relative URLs. An import map would not do: workers have none. */
export function resolvePackages(source: string, module: string): string {
  return source.replace(/(?<=\bfrom |\bimport\()'([^'.][^']*)'/g, (text, name) => {
    const found = files.find(({ imported }) => imported === name);
    return found ? `'${posix.relative(posix.dirname(module), found.path)}'` : text;
  });
}

/** Maps the paths of these files below `/web` to assets, which are created on first use. */
export function packageAssets(): ReadonlyMap<string, () => Asset> {
  const typeOf = (file: string) => (file.endsWith('.woff2') ? 'font/woff2' : 'text/javascript; charset=utf-8');
  return new Map(files.map(({ path, name, file }) => [path, lazyAsset(typeOf(file), () => readModule(name, file))]));
}

function readModule(name: string, file: string): Buffer {
  const manifest = findPackageJSON(name, import.meta.url);
  if (!manifest) throw new Error(`The package ${name} is not installed`);
  return readFileSync(new URL(file, pathToFileURL(manifest)));
}
