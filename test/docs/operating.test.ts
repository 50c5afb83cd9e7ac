import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documents } from '../support/commands.ts';
import { metricsAlone } from '../support/metrics.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const guide = read('docs/operating.md');

test('docs/operating.md names every metric of ours', async () => {
  const names = [...(await metricsAlone().registry.metrics()).matchAll(/^# TYPE (carte_\w+)/gm)].map(
    ([, name]) => name,
  );
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter(name => !guide.includes(`\`${name}`))).toEqual([]);
});

test('the key of a kitchen display has the same permissions in all documents', () => {
  const [, recommended] = /^\| kitchen display.*\| `([a-z,]+)` \|$/m.exec(guide) ?? [];
  const created = documents.flatMap(document => [...read(document).matchAll(/key create.*kitchen.*--can ([a-z,]+)/gi)]);
  expect(created.length).toBeGreaterThan(0);
  expect(created.filter(([, permissions]) => permissions !== recommended)).toEqual([]);
});
