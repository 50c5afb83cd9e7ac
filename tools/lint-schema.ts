/** Checks that the graph has one way of each thing, and that operations of ours are valid and use no deprecated name; part of `npm run check`. */

import { globSync, readFileSync } from 'node:fs';
import {
  concatAST,
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isExecutableDefinitionNode,
  isInputObjectType,
  isListType,
  isObjectType,
  isScalarType,
  KnownArgumentNamesRule,
  NoDeprecatedCustomRule,
  parse,
  ScalarLeafsRule,
  TypeInfo,
  ValidationContext,
  visit,
  visitInParallel,
  visitWithTypeInfo,
} from 'graphql';
import { loadPublicSchema, loadSchema } from '../src/graphql/schema.ts';

const executable = loadSchema();
const schema = loadPublicSchema();
const problems: string[] = [];
const types = Object.values(executable.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'));
const currentFieldsOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).filter(({ deprecationReason }) => deprecationReason === undefined);

function check(place: string, rule: string, isKept: boolean): void {
  if (!isKept) problems.push(`${place}: ${rule}`);
}

for (const type of types) {
  check(type.name, 'a type is named in PascalCase', /^[A-Z][A-Za-z0-9]*$/.test(type.name));
  if (isEnumType(type)) {
    for (const { name } of type.getValues()) {
      check(`${type.name}.${name}`, 'a value is named in UPPER_CASE', /^[A-Z][A-Z0-9_]*$/.test(name));
    }
  } else if (isObjectType(type) || isInputObjectType(type)) {
    for (const { name } of Object.values(type.getFields())) {
      check(`${type.name}.${name}`, 'a field is named in camelCase', /^[a-z][A-Za-z0-9]*$/.test(name));
    }
  }
}

for (const type of objects) {
  for (const field of currentFieldsOf(type)) {
    const place = `${type.name}.${field.name}`;
    const named = getNamedType(field.type);
    if (isScalarType(named) && named.name === 'DateTime') {
      check(place, 'a time is named by what happens then, such as createdAt', !/(Date|Time)$/.test(field.name));
    }
    if (type.name !== 'Money' && /(price|tax|total|tip|amount|change)$/i.test(field.name)) {
      check(place, 'an amount is Money', named.name !== 'SafeInt');
    }
    const [, referred] = /^(\w+)ExternalIds?$/.exec(field.name) ?? [];
    if (referred) {
      const lookups = schema.getType('Store') as GraphQLObjectType;
      check(place, 'an external id is named as Store looks it up', referred in lookups.getFields());
    }
    const args = field.args.map(({ name }) => name);
    for (const { name } of [field, ...field.args]) {
      // A page of the log has no number, but a cursor for the next one.
      const isNumbered = /^(skip|limit|pageIndex|pageSize)$/.test(name) && named.name !== 'EventPage';
      check(place, 'what is for numbered pages is internal', !isNumbered);
    }
    if (args.includes('first') && args.includes('after')) {
      check(place, 'a list with pages is a connection', /Connection$|^MenuChanges$/.test(named.name));
    }
    if (type === schema.getQueryType()) {
      const isList = isListType('ofType' in field.type ? field.type.ofType : field.type);
      // Those of `nodes` are asked for, and caches are few.
      check(place, 'a list at the root has pages', !isList || ['nodes', 'edgeCaches'].includes(field.name));
    }
    if (type === schema.getMutationType()) {
      const current = field.args.filter(({ deprecationReason }) => deprecationReason === undefined);
      check(place, 'a mutation has the one argument input', current.map(({ name }) => name).join() === 'input');
    }
  }
  if (type.name.endsWith('Connection')) {
    const names = ['nodes', 'edges', 'pageInfo', 'totalCount'];
    check(
      type.name,
      `a connection has ${names.join(', ')}`,
      names.every(name => name in type.getFields()),
    );
  }
}

/** Documents of ours, by where they are. */
const files = [
  ...globSync('{web,examples,bench}/**/*.graphql', {
    exclude: ['**/node_modules/**', '**/schema.graphql', '**/derived.graphql'],
  }),
  ...globSync('schema/{rest,pos,webhooks}/*.graphql', {
    exclude: ['**/derived.graphql', '**/{interface,inputs}.graphql'],
  }),
];
const documents = new Map(files.map(file => [file, parse(readFileSync(file, 'utf8'))]));
const texts = globSync('{README.md,docs/*.md,examples/*/README.md,examples/**/*.{ts,tsx,html},web/**/*.ts}', {
  // Settings have texts in braces.
  exclude: ['**/{node_modules,dist,__generated__}/**', 'docs/settings.md'],
});
for (const file of texts) {
  const text = readFileSync(file, 'utf8');
  const blocks = [...text.matchAll(/^```graphql\n(.*?)^```/gms), ...text.matchAll(/`([^`]*)`/g)];
  const bodies = text.matchAll(/"query": ("(?:[^"\\]|\\.)*")/g);
  const candidates = [...blocks.map(([, block = '']) => block), ...bodies.map(([, body = '']) => JSON.parse(body))];
  const parsed = candidates.flatMap(parseQuery);
  if (parsed.length > 0) documents.set(file, concatAST(parsed));
}

/** None for what is neither an operation nor a fragment; what a template inserts counts as a name. */
function parseQuery(text: string): DocumentNode[] {
  try {
    const document = parse(text.replaceAll(/\$\{[^}]*\}/g, '__typename'));
    return document.definitions.some(isExecutableDefinitionNode) ? [document] : [];
  } catch {
    return [];
  }
}

for (const [file, given] of documents) {
  // Those of sets are checked at the start.
  const document = visit(given, { Directive: () => null });
  // Of an operator's set, the start checks what is internal.
  const graph = /^(schema|examples\/flat-pos)\//.test(file) ? executable : schema;
  // A template inserts selections.
  const rules = [FieldsOnCorrectTypeRule, KnownArgumentNamesRule, NoDeprecatedCustomRule];
  if (!/\.tsx?$/.test(file)) rules.push(ScalarLeafsRule);
  const typeInfo = new TypeInfo(graph);
  const report = ({ message }: { readonly message: string }) => problems.push(`${file}: ${message}`);
  const context = new ValidationContext(graph, document, typeInfo, report);
  visit(document, visitWithTypeInfo(typeInfo, visitInParallel(rules.map(rule => rule(context)))));
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(
    `The schema has no errors, and ${documents.size} documents are valid and use nothing that is deprecated.`,
  );
