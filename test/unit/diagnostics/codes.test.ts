import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { severityOf } from '../../../src/menu/diagnostics/codes.ts';

const root = new URL('../../../', import.meta.url);

describe('every code', () => {
  const rows = readFileSync(new URL('docs/diagnostics.md', root), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()));

  test('is documented in docs/diagnostics.md with its severity and a fix', () => {
    expect(rows.map(([, code, severity]) => [code, severity])).toEqual(
      Object.entries(severityOf).map(([code, severity]) => [`\`${code}\``, severity]),
    );
    for (const [, , , meaning, advice] of rows) expect(meaning && advice).toMatch(/\.$/);
  });

  test('is an enum value of the graph with the same description', () => {
    const folder = new URL('schema/', root);
    const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
    const schema = buildSchema(files.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n'));
    const type = schema.getType('MenuDiagnosticCode');
    const values = isEnumType(type) ? type.getValues() : [];
    expect(values.map(value => [`\`${value.name}\``, value.description])).toEqual(
      rows.map(([, code, , meaning]) => [code, meaning]),
    );
  });
});
