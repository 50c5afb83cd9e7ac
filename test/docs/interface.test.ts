import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const text = read('docs/interface.md');
const sources = (pattern: string) => globSync(pattern, { cwd: fileURLToPath(root) });

/** The points of every table of decisions. */
const points = text.split(/^(?=## )/m).flatMap(section => {
  const [, rows = ''] = section.split('| Point | Decision |\n|---|---|\n');
  const [table = ''] = rows.split('\n\n');
  return [...table.matchAll(/^\| (.+?) \|/gm)].map(match => match[1] ?? '');
});

const tests = sources('test/rest/*.test.ts').map(read).join('\n');
const quote = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('docs/interface.md', () => {
  test('has a test in test/rest for every point', () => {
    expect(points).toEqual(expect.arrayContaining(['Content-Type', 'Versioning']));
    const isTested = (name: string) => new RegExp(`(?:describe\\(|test\\(|decision: )['"]${quote(name)}`).test(tests);
    expect(points.filter(name => !isTested(name))).toEqual([]);
  });

  test('has every section that the sources and the documentation refer to', () => {
    const files = [...sources('src/**/*.ts'), ...sources('docs/**/*.md'), ...sources('test/**/*.ts'), 'README.md'];
    const cited = files.flatMap(file => [...read(file).matchAll(/interface\.md#([\w-]+)/g)].map(match => match[1]));
    const own = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map(match => match[1]);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(match => match[1]?.toLowerCase().replaceAll(' ', '-'));
    expect([...cited, ...own].filter(anchor => !sections.includes(anchor))).toEqual([]);
    expect(cited).toContain('paging');
  });

  test('names every type of error that a route can return', () => {
    const packages = ['packages/operations/src/*.ts', 'packages/operations/src/input/*.ts', 'packages/base/src/*.ts'];
    const files = [...packages, 'src/menu/*.ts', 'src/order/arguments.ts', 'src/lists/paging.ts'];
    // An argument that a tool does not have is no error of a route.
    const ofRoutes = files.flatMap(sources).filter(file => !file.endsWith('operations/src/tools.ts'));
    const code = ofRoutes.map(read).join('\n');
    const types = [...code.matchAll(/(?:fail\(cursor, depth, |type: |errors\.add\(\[.*?\], )'([a-z]+(?:_[a-z]+)+)'/g)];
    // No parameter of a route is a boolean or a number with a fraction, and no body has a date-time, a decimal, or a list that must not be empty.
    const unused = new Set([
      'bool_parsing',
      'float_parsing',
      'datetime_type',
      'decimal_parsing',
      'decimal_max_places',
      'too_short',
    ]);
    const found = new Set(types.map(match => match[1] ?? '').filter(type => !unused.has(type)));
    expect(found.size).toBeGreaterThan(15);
    expect([...found].filter(type => !text.includes(`\`${type}\``))).toEqual([]);
  });
});
