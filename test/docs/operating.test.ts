import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
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

test('the gateway of docs/operating.md forwards the key of a client to Carte alone', () => {
  const [, code = ''] = /```ts\n(import \{ defineConfig \} from '@graphql-hive\/gateway';.*?)```/s.exec(guide) ?? [];
  const body = stripTypeScriptTypes(code)
    .replace(/^import .*$/m, '')
    .replace('export const gatewayConfig =', 'return');
  const { propagateHeaders } = new Function('defineConfig', body)((config: unknown) => config);
  const forwarded = (headers: Record<string, string>, subgraphName: string) =>
    propagateHeaders.fromClientToSubgraphs({ request: new Request('http://gateway/', { headers }), subgraphName });
  expect(forwarded({ 'x-api-key': 'k', cookie: 'c' }, 'carte')).toEqual({ 'x-api-key': 'k' });
  expect(forwarded({ 'x-api-key': 'k' }, 'nutrition')).toEqual({});
  expect(forwarded({}, 'carte')).toEqual({});
});
