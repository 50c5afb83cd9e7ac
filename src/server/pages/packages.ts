import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
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
  'graphql-sse': ['lib/client.mjs', 'lib/common.mjs', 'lib/parser.mjs', 'lib/utils.mjs'],
  '@humanwhocodes/momoa': ['dist/momoa.js'],
};

const folder = 'packages';

/** The URLs of the packages, relative to the pages, by what modules import. */
export const packageImports: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packages).flatMap(([name, [entry, ...others]]) => [
    [name, `./web/${folder}/${name}/${entry}`],
    ...others.map(file => [`${name}/${file}`, `./web/${folder}/${name}/${file}`]),
  ]),
);

/** Renders the import map of a page, and its source for `script-src` in the Content-Security-Policy. */
export function renderImportMap() {
  const text = JSON.stringify({ imports: packageImports });
  return {
    script: `<script type="importmap">${text}</script>`,
    source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  };
}

/** Maps the paths of these files below `/web` to assets, which are created on first use. */
export function packageAssets(): ReadonlyMap<string, () => Asset> {
  const assets = new Map<string, () => Asset>();
  for (const [name, files] of Object.entries(packages)) {
    for (const file of files) {
      const read = () => readFileSync(new URL(file, folderOf(name)));
      assets.set(`${folder}/${name}/${file}`, lazyAsset('text/javascript; charset=utf-8', read));
    }
  }
  return assets;
}

function folderOf(name: string): URL {
  const manifest = findPackageJSON(name, import.meta.url);
  if (!manifest) throw new Error(`The package ${name} is not installed`);
  return new URL('.', pathToFileURL(manifest));
}
