import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '../../src/config.ts';

type Setting = typeof settings.port;

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What the comment of each setting says, and the section that it names. */
const comments = new Map(
  [...read('src/config.ts').matchAll(/\/\*\*((?:.(?!\*\/))+?) ?\*\/\s+\w+: env\(\s*'(\w+)'/gs)].map(
    ([, comment = '', variable = '']) => {
      const text = comment.replaceAll(/\s+(?:\* )?/g, ' ').trim();
      const [, description = '', guide = ''] = /^(.*)\. @see docs\/(\S+)$/.exec(text) ?? [];
      return [variable, { description, guide }];
    },
  ),
);

const listSettings = (group: object): Setting[] =>
  Object.values(group).flatMap(value => ('variable' in value ? [value] : listSettings(value)));

/** In the way in which an operator writes it. */
function defaultOf({ variable, schema }: Setting): string {
  const value: unknown = schema.parse(undefined);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  // A tracer is set by an address.
  if (typeof value === 'boolean') return variable.startsWith('OTEL') ? '–' : value ? '`on`' : '`off`';
  if (typeof value === 'string') return `\`${variable === 'CARTE_DATA' ? relative('', value) : value}\``;
  const bytes = Number(value);
  const [unit, size] = bytes % 1024 ** 2 === 0 ? ['MiB', bytes / 1024 ** 2] : ['KiB', bytes / 1024];
  return Number.isInteger(size) && size > 1 ? `\`${bytes}\` (${size} ${unit})` : `\`${bytes}\``;
}

/** As the message about another value has it, unless it is a switch. */
function allowedOf({ schema }: Setting): string {
  const message = schema.safeParse('\0').error?.issues[0]?.message ?? '';
  const [, min, max] = /from (\d+) to (\d+)$/.exec(message) ?? [];
  if (min !== undefined) return ` (${Number(min).toLocaleString('en')} to ${Number(max).toLocaleString('en')})`;
  const [, values = 'on, off'] = /one of (.+)$/.exec(message) ?? [];
  return values === 'on, off' ? '' : ` (${values.replaceAll(/\w+/g, '`$&`')})`;
}

const rows = listSettings(settings)
  .toSorted((one, other) => (one.variable < other.variable ? -1 : 1))
  .map(setting => {
    const { description, guide } = comments.get(setting.variable) ?? { description: '', guide: '' };
    return { ...setting, description, guide };
  });

test('every setting has a comment that says what it does, and where more is', () => {
  expect(rows.filter(({ description, guide }) => !description || !guide)).toEqual([]);
});

test('docs/settings.md has the table', async () => {
  const [prose = ''] = read('docs/settings.md').split('\n| Variable');
  const lines = rows.map(
    row => `| [\`${row.variable}\`](${row.guide}) | ${defaultOf(row)} | ${row.description}${allowedOf(row)} |`,
  );
  const table = ['| Variable | Default | What it does |', '|---|---|---|', ...lines].join('\n');
  await expect(`${prose}\n${table}\n`).toMatchFileSnapshot('../../docs/settings.md');
});
