import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'carte-installed-'));
const run = promisify(execFile);
let url: string;
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterAll(() => {
  for (const end of ends.toReversed()) end();
});

const names = ['base', 'compare', 'embedded-postgres', 'operations'];

/** Links to what is installed, but for the packages of the repository. */
function linkModules(modules: string): void {
  mkdirSync(join(modules, '@carte'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '.bin' || !(name.startsWith('.') || name === '@carte'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}

/** Packs by npm's own command, in a copy of the repository, since others import its packages meanwhile. */
async function pack(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'carte-packed-'));
  ends.push(() => rmSync(copy, { recursive: true }));
  for (const name of ['LICENSE', 'package.json', 'tsconfig.json', 'packages', 'tools']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  linkModules(join(copy, 'node_modules'));
  for (const name of names) symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@carte', name));
  const before = readFileSync(join(copy, 'packages/operations/package.json'), 'utf8');
  for (const name of names) {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(copy, 'packages', name) });
  }
  expect(readFileSync(join(copy, 'packages/operations/package.json'), 'utf8')).toBe(before);
  expect(readdirSync(join(copy, 'packages/base')).sort()).toEqual(['README.md', 'dist', 'package.json', 'src']);
}

/** An empty folder with the packed packages and links to what they depend on, as npm would install them without a network. */
async function installPacked(): Promise<void> {
  await pack();
  const modules = join(folder, 'node_modules');
  linkModules(modules);
  for (const name of names) {
    const target = join(modules, '@carte', name);
    mkdirSync(target);
    const archive = readdirSync(folder).find(file => file.startsWith(`carte-${name}-`)) ?? '';
    await run('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', target]);
  }
}

/** The code of the README's first screen, by language. */
function codeOf(language: string): string {
  const readme = readFileSync(join(root, 'packages/operations/README.md'), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readme)?.[1] ?? '';
}

beforeAll(async () => {
  await installPacked();
  mkdirSync(join(folder, 'library'));
  writeFileSync(join(folder, 'library/books.graphql'), codeOf('graphql'));
  writeFileSync(join(folder, 'server.mjs'), codeOf('js'));
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env: { ...process.env, PORT: '0' } });
  ends.push(() => child.kill());
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text;
  });
  url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', text => resolve(text.trim()));
    child.once('exit', () => reject(new Error(`The server of the README has ended: ${errors}`)));
  });
});

test('the example of the README is about 30 lines of a schema that is not ours', () => {
  expect(codeOf('js').split('\n').length).toBeLessThan(35);
});

test('the packed package serves what the README shows', async () => {
  const found = await fetch(`${url}/books/1`);
  expect(await found.text()).toBe('{"id":"1","title":"Emma","written_by":{"full_name":"Jane Austen"}}');
  const etag = found.headers.get('etag') ?? '';
  expect((await fetch(`${url}/books/1`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await fetch(`${url}/books/9`)).status).toBe(404);
  const invalid = await fetch(`${url}/books?limit=abc`);
  expect(invalid.status).toBe(422);
  expect(await invalid.json()).toMatchObject({ detail: [{ loc: ['query', 'limit'], type: 'int_parsing' }] });
  const added = await fetch(`${url}/books`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Persuasion' }),
  });
  expect(await added.json()).toEqual({ id: '2', title: 'Persuasion' });
});

test('every packed package has its licence and README, JavaScript with types, and can be imported', async () => {
  const modules = ['base/errors', 'compare/routes', 'embedded-postgres', 'operations/contract/changes'];
  const imports = modules.map(name => `import('@carte/${name}')`).join();
  const script = `Promise.all([${imports}]).then(found => console.log(found.every(each => Object.keys(each).length > 0)))`;
  expect((await run(process.execPath, ['-e', script], { cwd: folder })).stdout).toBe('true\n');
  for (const name of names) {
    const files = readdirSync(join(folder, 'node_modules/@carte', name)).sort();
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'package.json']));
    expect(files).not.toContain('src');
  }
});

test('its OpenAPI document has no errors, and responses are as it says', async () => {
  const document = (await (await fetch(`${url}/openapi/library.json`)).json()) as Document;
  const config = await createConfig({
    extends: ['recommended'],
    // The schema of the README has no one who may call, and no licence.
    rules: { 'security-defined': 'off', 'info-license': 'off', 'no-server-example.com': 'off' },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: 'library.json', config });
  expect(problems.map(({ message }) => message)).toEqual([]);
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'library', components: document.components });
  for (const [path, template] of [
    ['/books/1', '/books/{id}'],
    ['/books', '/books'],
  ] as const) {
    const { schema } = document.paths[template]?.get?.responses[200]?.content['application/json'] ?? {};
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"library#/'));
    expect(ajv.validate(absolute, await (await fetch(`${url}${path}`)).json())).toBe(true);
    expect(ajv.validate(absolute, { title: 1 })).toBe(false);
  }
});

interface Document {
  readonly components: object;
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly responses: Readonly<
            Record<number, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
          >;
        };
      }
    >
  >;
}

test('every error in the files is reported with its file and line', async () => {
  writeFileSync(
    join(folder, 'library/books.graphql'),
    'query a($id: ID!) @route(path: "/a/{id}") { book(id: $id) { id nothing } }\nquery b @route(path: "/b") { none }\n',
  );
  const failed = await promisify(execFile)(process.execPath, ['server.mjs'], { cwd: folder }).catch(error => error);
  expect(failed.stderr).toContain('library/books.graphql:1: Cannot query field "nothing" on type "Book".');
  expect(failed.stderr).toContain('library/books.graphql:2: Cannot query field "none" on type "Query".');
});
