import { readdirSync, readFileSync } from 'node:fs';
import {
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { loadPublicSchema } from '../../src/graphql/schema.ts';

const schema = loadPublicSchema();
const folder = new URL('../../schema/', import.meta.url);

interface Readable {
  readonly with?: string;
  readonly byGuests?: boolean;
  readonly byPlacer?: boolean;
}

/** What the files of the schema say about each field, e.g. `Store.orders`; what `@requires` says is not here. */
export const readableFields: ReadonlyMap<string, Readable> = new Map(
  readdirSync(folder)
    .filter(file => file.endsWith('.graphql'))
    .flatMap(file => parse(readFileSync(new URL(file, folder), 'utf8')).definitions)
    .flatMap(block =>
      block.kind === Kind.OBJECT_TYPE_DEFINITION || block.kind === Kind.OBJECT_TYPE_EXTENSION
        ? (block.fields ?? []).flatMap((field): [string, Readable][] => {
            const readable = argumentsOf(field.directives) ?? argumentsOf(block.directives);
            return readable ? [[`${block.name.value}.${field.name.value}`, readable]] : [];
          })
        : [],
    ),
);

function argumentsOf(directives: readonly ConstDirectiveNode[] = []): Readable | undefined {
  const directive = directives.find(({ name }) => name.value === 'readable');
  if (!directive) return undefined;
  return Object.fromEntries(
    (directive.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]),
  );
}

/** An operation that selects every field of a type, and the path from the root to the type. */
export interface TypeQuery {
  readonly type: string;
  readonly query: string;
  readonly path: readonly string[];
  readonly fields: readonly string[];
}

/** Finds every type that queries can reach from the roots by fields of which `isReadable` is true, with the shortest path. */
export function pathsOfTypes(
  isReadable: (coordinate: string) => boolean = () => true,
): ReadonlyMap<GraphQLObjectType, readonly string[]> {
  const found = new Map<GraphQLObjectType, readonly string[]>();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const pending: [GraphQLObjectType, readonly string[]][] = roots.flatMap(type => (type ? [[type, []]] : []));
  for (let next = pending.shift(); next; next = pending.shift()) {
    const [type, path] = next;
    if (found.has(type)) continue;
    found.set(type, path);
    for (const field of Object.values(type.getFields())) {
      const inner = getNamedType(field.type);
      if (!isObjectType(inner) || !isReadable(`${type.name}.${field.name}`)) continue;
      pending.push([inner, [...path, `${type.name}.${field.name}`]]);
    }
  }
  return found;
}

/** A query of all fields of each of these types. */
export function queriesOfTypes(isReadable: (coordinate: string) => boolean): TypeQuery[] {
  return [...pathsOfTypes(isReadable)].flatMap(([type, path]) => {
    const fields = Object.values(type.getFields());
    // A subscription has one root field.
    return type === schema.getSubscriptionType()
      ? fields.map(field => queryOf(type, path, [field]))
      : [queryOf(type, path, fields)];
  });
}

function queryOf(
  type: GraphQLObjectType,
  path: readonly string[],
  fields: readonly GraphQLField<unknown, unknown>[],
): TypeQuery {
  const selections = fields.map(field =>
    isCompositeType(getNamedType(field.type)) ? `${callOf(field)} { __typename }` : callOf(field),
  );
  return {
    type: type.name,
    query: queryAt(type, path, selections.join(' ')),
    path: path.map(coordinate => coordinate.split('.')[1] ?? ''),
    fields: fields.map(({ name }) => name),
  };
}

/** An operation that selects something of the type at a path. */
export function queryAt(type: GraphQLObjectType, path: readonly string[], selection: string): string {
  const calls = path.map(coordinate => {
    const [parent = '', name = ''] = coordinate.split('.');
    const field = (schema.getType(parent) as GraphQLObjectType).getFields()[name];
    return field ? callOf(field) : '';
  });
  const root = path[0]?.split('.')[0] ?? type.name;
  return `${root.toLowerCase()} { ${[...calls, selection].join(' { ')}${' }'.repeat(path.length + 1)}`;
}

/** A field with the arguments that it requires, and others. */
export function callOf({ name, args }: GraphQLField<unknown, unknown>, others: readonly string[] = []): string {
  const given = args.filter(
    arg => others.includes(arg.name) || (isNonNullType(arg.type) && arg.defaultValue === undefined),
  );
  return given.length > 0 ? `${name}(${given.map(arg => `${arg.name}: ${literalOf(arg.type)}`)})` : name;
}

function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(
      field => isNonNullType(field.type) && field.defaultValue === undefined,
    );
    return `{ ${required.map(field => `${field.name}: ${literalOf(field.type)}`)} }`;
  }
  const literals: Record<string, string> = {
    Boolean: 'true',
    Int: '1',
    SafeInt: '1',
    Float: '1',
    DateTime: '"2026-03-01"',
  };
  if (['StringMap', 'StringMaps', 'JSONObject'].includes(type.name)) return '{}';
  return literals[type.name] ?? '"none"';
}
