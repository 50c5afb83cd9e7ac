import { readFileSync } from 'node:fs';
import {
  buildSchema,
  FieldsOnCorrectTypeRule,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { renamedFields } from '../../src/graphql/renamed-fields.ts';
import { loadPublicSchema } from '../../src/graphql/schema.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const released = buildSchema(read('released/0.2.0.graphql'));
const current = loadPublicSchema();

type Element = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

/** Fields and input fields by their type, and arguments by their field. */
function* elementsOf(schema: GraphQLSchema): Generator<readonly [owner: string, element: Element]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || !(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)))
      continue;
    for (const field of Object.values(type.getFields())) {
      yield [type.name, field];
      if ('args' in field) for (const argument of field.args) yield [`${type.name}.${field.name}`, argument];
    }
  }
}

const keyOf = (owner: string, name: string) => `${owner} ${name}`;
const typeNow = (name: string) => renamedFields.type?.[name] ?? name;
const kindOf = ({ type }: Element) => {
  const named = getNamedType(type);
  return [isListType(getNullableType(type)), isLeafType(named) ? 'a leaf' : typeNow(named.name)].join();
};
const now = new Map(Array.from(elementsOf(current), ([owner, element]) => [keyOf(owner, element.name), element]));

/** What a query of 0.2 cannot have any more: a name that is gone, or is another object, or a list where it was none. */
const gone = [
  ...Array.from(elementsOf(released)).flatMap(([owner, element]) => {
    const key = keyOf(typeNow(owner), element.name);
    const found = now.get(key);
    return found && kindOf(found) === kindOf(element) ? [] : [key];
  }),
  ...Object.keys(released.getTypeMap()).flatMap(name => (current.getType(name) ? [] : [keyOf('type', name)])),
];

const entries = Object.entries(renamedFields).flatMap(([owner, names]) =>
  Object.entries(names).map(([name, used]) => ({ owner, name, used })),
);

test('what is gone since 0.2 is in the table with what replaces it, and nothing else', () => {
  expect(gone.length).toBeGreaterThan(100);
  expect(entries.map(({ owner, name }) => keyOf(owner, name)).toSorted()).toEqual(gone.toSorted());
});

/** Whether an argument or an input field, and a field in its object, exist: `input: { storeId }`. */
function isInput(owner: string, used: string): boolean {
  const [name = '', nested] = used.match(/\w+/g) ?? [];
  const element = now.get(keyOf(owner, name));
  return element !== undefined && (nested === undefined || now.has(keyOf(getNamedType(element.type).name, nested)));
}

test('what replaces something exists', () => {
  const missing = entries.filter(({ owner, used }) => {
    if (owner === 'type') return !current.getType(used);
    if (!isObjectType(current.getType(owner))) return !isInput(owner, used);
    return validate(current, parse(`fragment F on ${owner} { ${used} }`), [FieldsOnCorrectTypeRule]).length > 0;
  });
  expect(missing).toEqual([]);
});

const isArgument = (owner: string) => owner.includes('.');
const inCode = (texts: Iterable<string>) => [...new Set(texts)].map(text => `\`${text}\``).join(', ');

test('docs/upgrading.md has the table', async () => {
  // The same replacement of several names is one row, and `…` stands for the name.
  const replaced = entries.map(({ owner, name, used }) => {
    const pattern = used.replace(new RegExp(`(?<=\\{ )${name}(?= \\})|^${name}(?= \\{ amount)`), '…');
    const [before, after] = isArgument(owner)
      ? [`${name}:`, /^\w+$/.test(used) ? `${used}:` : pattern]
      : [name, pattern];
    return { owner, before, after, row: pattern === used ? `${before} ${after}` : pattern };
  });
  const rows = [...Map.groupBy(replaced, ({ row }) => row).values()].map(group => {
    const [{ after } = { after: '' }] = group;
    const owners = after && group[0]?.owner === 'type' ? 'a type' : inCode(group.map(({ owner }) => owner));
    return `| ${owners} | ${inCode(group.map(({ before }) => before))} | \`${after}\` |`;
  });
  const table = ['| Of | In 0.2 | In 1.0 |', '|---|---|---|', ...rows].join('\n');
  const document = read('docs/upgrading.md');
  const [before, rest = ''] = document.split('<!-- names -->');
  const [, after] = rest.split('<!-- end of names -->');
  const page = `${before}<!-- names -->\n${table}\n<!-- end of names -->${after}`;
  await expect(page).toMatchFileSnapshot('../../docs/upgrading.md');
});
