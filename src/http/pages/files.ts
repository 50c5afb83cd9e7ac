import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypes } from './strip.ts';

export interface WebFile {
  readonly type: string;
  readonly content: () => Content;
}

interface Content {
  readonly body: Buffer;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
  graphql: 'text/plain; charset=utf-8',
};

/** What a browser may have of a folder, by path; each file is made ready when it is first asked for, and kept. */
export function findFiles(folder: URL): ReadonlyMap<string, WebFile> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'));
  return new Map(
    paths.flatMap((path): [string, WebFile][] => {
      const type = types[/\.(\w+)$/.exec(path)?.[1] ?? ''];
      return type ? [[path, { type, content: once(() => readContent(new URL(path, folder))) }]] : [];
    }),
  );
}

function readContent(file: URL): Content {
  const text = readFileSync(file, 'utf8');
  const body = Buffer.from(prepare(file.pathname, text));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

function prepare(path: string, text: string): string {
  if (path.endsWith('.ts')) return stripTypes(text);
  if (path.endsWith('.html')) return text.replaceAll('{version}', version());
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
