import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Asset, lazyAsset } from './asset.ts';

/** The files of npm packages that pages import, as they are published: ES modules that import each other by relative paths. */
const packages: Readonly<Record<string, readonly [entry: string, ...others: string[]]>> = {
  'lit-html': [
    'lit-html.js',
    'directive.js',
    'directive-helpers.js',
    'directives/guard.js',
    'directives/live.js',
    'directives/repeat.js',
  ],
  'graphql-ws': ['dist/client.js', 'dist/common-CGW11Fyb.js'],
  'graphql-sse': ['lib/client.mjs', 'lib/common.mjs', 'lib/parser.mjs', 'lib/utils.mjs'],
  '@humanwhocodes/momoa': ['dist/momoa.js'],
};

/** These files, with what modules import and their paths below `/web`. */
const files = Object.entries(packages).flatMap(([name, files]) =>
  files.map((file, index) => ({
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
  const read = (name: string, file: string) => {
    const manifest = findPackageJSON(name, import.meta.url);
    if (!manifest) throw new Error(`The package ${name} is not installed`);
    return readFileSync(new URL(file, pathToFileURL(manifest)));
  };
  const type = 'text/javascript; charset=utf-8';
  return new Map(files.map(({ path, name, file }) => [path, lazyAsset(type, () => read(name, file))]));
}
