import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

test('the workflow of the hosting runs what CI runs, on each Node of a newcomer', () => {
  const { jobs, permissions } = parse(read('.github/workflows/ci.yml'));
  expect(permissions).toEqual({ contents: 'read' });
  const { strategy, steps } = jobs.run;
  expect(strategy.matrix.node).toEqual([20, 22, 24]);
  const commands: string[] = steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);
  expect(commands).toEqual(['.ci/run']);
  for (const command of commands) accessSync(`${root}${command}`, constants.X_OK);
});

test('dependencies of every kind that the repository has are updated', () => {
  const { version, updates } = parse(read('.github/dependabot.yml'));
  expect(version).toBe(2);
  const ecosystems = updates.map((update: Record<string, string>) => update['package-ecosystem']);
  expect(ecosystems.sort()).toEqual(['docker', 'github-actions', 'npm']);
});

test('each template of an issue has a name and a purpose', () => {
  const templates = globSync('.github/ISSUE_TEMPLATE/*.md', { cwd: root });
  expect(templates).toHaveLength(2);
  for (const template of templates) {
    const [, head = ''] = /^---\n(.*?)\n---\n\n\S/s.exec(read(template)) ?? [];
    expect(Object.keys(parse(head)), template).toEqual(['name', 'about', 'labels']);
  }
});
