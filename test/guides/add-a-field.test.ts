import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kind, parse } from 'graphql';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A copy of what a field is added to. */
function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carte-field-'));
  folders.push(folder);
  for (const name of ['src', 'schema', 'codegen.yml', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  for (const name of ['node_modules', 'tools', 'web']) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

function insertBefore(path: string, line: string, added: string, { last = false } = {}): void {
  const text = readFileSync(path, 'utf8');
  const at = last ? text.lastIndexOf(line) : text.indexOf(line);
  if (at === -1) throw new Error(`${path} has no line ${line}`);
  writeFileSync(path, text.slice(0, at) + added + text.slice(at));
}

/** The beginning of a line that the type and the inputs have. */
const graphLine = '  "The IANA name of the store\'s timezone';

/** What the steps of CONTRIBUTING.md#add-a-field do for an optional text of a store, by a word that names the step there. */
const steps = {
  'src/store/entities.ts': (folder: string, name: string) =>
    insertBefore(join(folder, 'src/store/entities.ts'), '    city: p.text()', `    ${name}: p.text().nullable(),\n`),
  migration: () => {},
  'schema/store.graphql': (folder: string, name: string) =>
    insertBefore(join(folder, 'schema/store.graphql'), graphLine, `  "A text."\n  ${name}: String @uncached\n`),
  'schema/rest/stores.graphql': (folder: string, name: string) =>
    insertBefore(join(folder, 'schema/rest/stores.graphql'), '  city\n', `  ${name}\n`),
  'test/support/interface.ts': () => {},
  SaveStoreInput: (folder: string, name: string) => {
    for (const file of ['schema/store.graphql', 'schema/import/documents.graphql'])
      insertBefore(join(folder, file), graphLine, `  "A text."\n  ${name}: String\n`, { last: true });
  },
  '-u': () => {},
};
type Step = keyof typeof steps;

function addField(folder: string, name: string, { without }: { readonly without?: Step } = {}): void {
  for (const [step, apply] of Object.entries(steps)) if (step !== without) apply(folder, name);
}

/** Runs a program of the project in a copy; returns its output, and that of a failure alike. */
function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    execFile(join(bin, program), args, { cwd: folder }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

/** For each copy: what stops the service at its start, or the derived schema and what a script prints after it. One process loads packages once. */
async function startAll(copies: readonly { readonly folder: string; readonly script?: string }[]): Promise<string[]> {
  const separator = '\u0004';
  const script = copies.map(
    ({ folder, script = '' }) => `try {
      const { loadSchema } = await import('${folder}/src/graphql/schema.ts');
      const { loadContract } = await import('${folder}/src/rest/contract.ts');
      console.log(printSchema(loadContract(loadSchema()).schema));
      ${script}
    } catch ({ message }) { console.log(message); }
    console.log('${separator}');`,
  );
  const args = ['--input-type=module', '--eval', `import { printSchema } from 'graphql';\n${script.join('\n')}`];
  return (await run(root, 'node', args)).split(`${separator}\n`);
}

test('the steps of the guide are those that are tested', () => {
  const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = guide.split('## Add a field\n')[1]?.split('\n## ')[0] ?? '';
  const numbered = section.split(/^\d\. /m).slice(1);
  expect(numbered).toHaveLength(Object.keys(steps).length);
  for (const [index, step] of Object.keys(steps).entries()) expect(numbered[index]).toContain(step);
});

test('saveStore and the import write the same fields', () => {
  const fieldsOf = (file: string, type: string) =>
    parse(readFileSync(join(root, `schema/${file}.graphql`), 'utf8')).definitions.flatMap(definition =>
      definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && definition.name.value === type
        ? (definition.fields ?? []).map(({ name }) => name.value)
        : [],
    );
  const saved = [...fieldsOf('store', 'SaveStoreInput'), ...fieldsOf('store', 'AddressInput')];
  expect(saved.filter(name => name !== 'address').toSorted()).toEqual(
    fieldsOf('import/documents', 'StoreDocument').toSorted(),
  );
});

describe('a step that is left out', () => {
  test('does not compile, if it is the property or the input', { timeout: 120_000 }, async () => {
    const folder = copySources();
    addField(folder, 'complete');
    addField(folder, 'withoutProperty', { without: 'src/store/entities.ts' });
    addField(folder, 'withoutInput', { without: 'SaveStoreInput' });
    expect(await run(folder, 'graphql-codegen', ['--config', 'codegen.yml', '--silent'])).toBe('');
    // The rest of the project knows nothing of the fields.
    const files = ['src/graphql/schema.ts', 'src/store/save.ts'];
    writeFileSync(join(folder, 'part.json'), JSON.stringify({ extends: './tsconfig.json', include: [], files }));
    // In one thread it takes less of the processor.
    const errors = (await run(folder, 'tsc', ['-p', 'part.json', '--singleThreaded'])).trim().split('\n');
    expect(errors).toEqual([
      expect.stringMatching(/^src\/graphql\/schema\.ts.* Property '"Store\.withoutProperty"' is missing/),
      expect.stringMatching(/^src\/store\/save\.ts.* Property 'withoutInput' is missing/),
    ]);
  });

  test('does not start, if it is in the graph; is a difference in what review sees, if it is the contract, and in the schema, if it is the migration', async () => {
    const [withoutField, withoutDirective, complete] = [copySources(), copySources(), copySources()];
    for (const folder of [withoutField, withoutDirective]) {
      addField(folder, 'origin', { without: 'schema/store.graphql' });
    }
    insertBefore(join(withoutDirective, 'schema/store.graphql'), graphLine, '  "A text."\n  origin: String\n');
    addField(complete, 'origin');
    const { config } = await createDatabase();
    const connection = { ...inject('cluster'), database: config.get('dbName') };
    const script = `const { createOrm } = await import('${complete}/src/orm.ts');
      const orm = createOrm(${JSON.stringify(connection)});
      console.log('differences:' + (await orm.schema.getUpdateSchemaSQL()));
      await orm.close();`;
    const copies = [{ folder: withoutField }, { folder: withoutDirective }, { folder: complete, script }];
    const [missing, undirected, printed = ''] = await startAll(copies);
    expect(missing).toMatch(/stores\.graphql:\d+.*Cannot query field "origin" on type "Store"/);
    expect(undirected).toContain(
      'need either @uncached, or some of @ofConfiguration, @ofOrders and @ofStore: Store.origin',
    );
    const [derived = '', differences] = printed.split('differences:');
    const committed = readFileSync(join(complete, 'schema/rest/derived.graphql'), 'utf8').split('\n');
    const added = derived.split('\n').filter(line => !committed.includes(line));
    expect(added).toEqual(['  """A text."""', '  origin: String']);
    expect(differences).toContain('alter table "store" add "origin" text null;');
  });
});
