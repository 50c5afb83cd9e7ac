import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const find = (...patterns: readonly string[]) =>
  patterns.flatMap(pattern =>
    globSync(pattern, { cwd: root, exclude: path => path.includes('node_modules') || path.includes('generated') }),
  );

const documents = find('*.md', 'docs/*.md', 'docs/decisions/*.md', 'bench/README.md', 'packages/*/README.md').filter(
  file => file !== 'CHANGELOG.md',
);
const sources = find('*.ts', '{bench,drills,packages,src,test,tools,web}/**/*.ts', '{deploy,schema}/**/*.sql');
const fileNames = new Set(
  [...sources, ...find('{schema,web,examples,packages}/**/*.{graphql,ts}')].map(file => basename(file)),
);

/** Paths from the root in a text; those that follow another folder, a link or a host are no such paths. */
function pathsIn(text: string): string[] {
  const pattern =
    /(?<![\w/.@{}$-])(?:bench|bin|demo|deploy|docs|drills|examples|packages|schema|src|test|tools|web)\/[\w./*-]*/g;
  return [...text.matchAll(pattern)].map(([path]) => path.replace(/\.+$/, ''));
}

/** Folders that the project's commands write, and a fresh clone does not have: documents may name what .gitignore lists, and nothing else. */
const ignored = read('.gitignore')
  .split('\n')
  .filter(line => line.endsWith('/'));

/** A decision may be named by its number alone. */
function exists(path: string): boolean {
  if (ignored.some(folder => `${path}/`.startsWith(folder))) return true;
  if (/^docs\/decisions\/\d{4}$/.test(path)) return find(`${path}-*.md`).length === 1;
  return path.includes('*') ? find(path).length > 0 : existsSync(`${root}${path}`);
}

const comments = (source: string) => source.match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*|^ *--.*$/gm) ?? [];

test('every path in a document exists', () => {
  const found = documents.flatMap(file => pathsIn(read(file)).map(path => ({ file, path })));
  expect(found.length).toBeGreaterThan(200);
  expect(found.filter(({ path }) => !exists(path))).toEqual([]);
});

test('every file that a document names without its folder exists', () => {
  const found = documents.flatMap(file =>
    [...read(file).matchAll(/`([\w-]+\.(?:ts|graphql|sql))`/g)].map(([, name = '']) => ({ file, name })),
  );
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter(({ name }) => !fileNames.has(name))).toEqual([]);
});

test('every path in a comment exists', () => {
  const found = sources.flatMap(file =>
    comments(read(file))
      .flatMap(pathsIn)
      .map(path => ({ file, path })),
  );
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter(({ path }) => !exists(path))).toEqual([]);
});

test('every document that a source refers to exists, with its section', () => {
  const found = sources.flatMap(file =>
    [...read(file).matchAll(/(?<![\w/.-])((?:docs|bench)\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(
      ([reference, document = '', section]) => ({ file, reference, document, section }),
    ),
  );
  expect(found.length).toBeGreaterThan(20);
  const isBroken = ({ document, section }: { document: string; section: string | undefined }) =>
    !exists(document) || (section !== undefined && !sectionsOf(document).includes(section));
  expect(found.filter(isBroken).map(({ file, reference }) => ({ file, reference }))).toEqual([]);
});

const sectionsOf = (document: string) =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
