import { readdirSync, readFileSync } from 'node:fs';
import { type Asset, createAsset } from '../../cache/asset.ts';
import { stripTypes } from './strip.ts';

/** Made ready when it is first asked for, and kept. */
export type WebFile = () => Asset;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
  graphql: 'text/plain; charset=utf-8',
};

/** What a browser may have of a folder, by path. */
export function findFiles(folder: URL): ReadonlyMap<string, WebFile> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'));
  return new Map(
    paths.flatMap((path): [string, WebFile][] => {
      const type = types[/\.(\w+)$/.exec(path)?.[1] ?? ''];
      return type ? [[path, once(() => createAsset(type, readContent(new URL(path, folder))))]] : [];
    }),
  );
}

function readContent(file: URL): string {
  const text = readFileSync(file, 'utf8');
  if (file.pathname.endsWith('.ts')) return stripTypes(text);
  if (file.pathname.endsWith('.html')) return text.replaceAll('{version}', version());
  return text;
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
