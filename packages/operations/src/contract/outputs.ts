import { isObject } from '@carte/base/json';
import {
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { keyOf } from '../execution/selected-fields.ts';
import { describeDeprecated } from './deprecation.ts';
import { inheritDescription, isAboutOmission } from './descriptions.ts';
import { type Constant, directiveAt, hasDirective } from './directives.ts';
import { type FieldExtensions, mappedType, replaceNamed } from './mapped-values.ts';
import { last, type ResponsePaths, selectionsInBody } from './response.ts';
import type { ContractSources, Report } from './sources.ts';

/** The extensions of a type of the derived schema. */
export type TypeExtensions = {
  /** The type of the graph whose fields it selects from. */
  readonly graphType?: string;
};

type Field = GraphQLFieldConfig<unknown, unknown, unknown>;
type Fields = Map<string, Field>;

interface AnonymousType {
  /** The name of the type, where its selection is not a single fragment. */
  readonly name: string;
  readonly constants?: readonly Constant[];
}

interface ObjectTypeDraft {
  readonly name: string;
  readonly node: ASTNode;
  readonly selections: readonly SelectionNode[];
  readonly constants: readonly Constant[];
  readonly description?: string | undefined;
}

/** Names of the roots, and of schemas that every OpenAPI document has. */
const reservedTypes = new Set([
  ...['Query', 'Mutation', 'Subscription'],
  ...['ValidationError', 'HTTPValidationError', 'HTTPError'],
]);

/** The name of a type without a fragment has those of the fields above it, and occurs wherever the type does. */
const maxNameLength = 200;

const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Fields that are null in the graph are absent from a body. */
const inRestTerms = (description: string | undefined): string | undefined =>
  description?.replace(/\bnull\b/g, 'absent').replace(/\bNull\b/g, 'Absent');

const isMap = (type: GraphQLOutputType) => ['JSONObject', 'StringMap', 'StringMaps'].includes(getNamedType(type).name);

const pathPattern = /^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$/;

type Names = ReadonlyMap<string, string | undefined>;

/** The names of a type's fields in a body that selects some of them. */
function namesIn(parent: GraphQLObjectType, selections: readonly SelectionNode[]): Names {
  const fields = selections.filter(node => node.kind === Kind.FIELD);
  const keyOfField = (name: string) => {
    const node = fields.find(field => field.name.value === name);
    return node && keyOf(node);
  };
  return new Map(Object.keys(parent.getFields()).map(name => [name, keyOfField(name)]));
}

/** The names of a field's arguments in a route, which are those of the variables that set them; undefined for others, which callers do not have. */
export function argumentNames({ args }: GraphQLField<unknown, unknown>, { arguments: given = [] }: FieldNode): Names {
  return new Map(
    args.map(({ name }) => {
      const value = given.find(candidate => candidate.name.value === name)?.value;
      return [name, value?.kind === Kind.VARIABLE ? value.name.value : undefined];
    }),
  );
}

/** What the graph says about a type or field, as far as it is true of a body. */
export const describeOutput = (
  description: string | null | undefined,
  names: Names,
  isUntrue?: (clause: string) => boolean,
): string | undefined =>
  inRestTerms(inheritDescription(description, { names, otherName: () => undefined, ...(isUntrue && { isUntrue }) }));

/** Derives the types of response bodies: an alias becomes the name of a field, the name of a fragment that of a type. */
export function createOutputTypes(
  { schema, fragments }: ContractSources,
  report: Report,
  /** Those of all messages that share a fragment. */
  eventsOf: (fragment: FragmentDefinitionNode) => readonly string[],
) {
  const types = new Map<string, GraphQLObjectType>();
  const typesByFragment = new Map<FragmentDefinitionNode, GraphQLObjectType>();
  const scalars = new Map<string, GraphQLScalarType>();

  /** A leaf type of the graph. Scalars serialise to the same value, because SOFA serialises arguments, which are parsed already. */
  function leaf(type: GraphQLLeafType): GraphQLLeafType {
    if (!isScalarType(type) || isSpecifiedScalarType(type)) return type;
    const scalar = scalars.get(type.name) ?? new GraphQLScalarType({ ...type.toConfig(), serialize: value => value });
    scalars.set(type.name, scalar);
    return scalar;
  }

  /** Which the fields of a message itself may be of; undefined for those of objects below it. */
  let events: readonly string[] | undefined;

  const constantsAt = (node: FieldNode) => directiveAt(schema, 'constants', node)?.fields ?? [];

  /** The type of an operation's body, nullable if any field on the path to it is. */
  function ofBody(
    operationName: string,
    { body }: ResponsePaths,
    ofRoute: readonly Constant[],
    ofMessage?: readonly string[],
  ): GraphQLOutputType {
    events = ofMessage;
    const { node, field } = last(body);
    const constants = [...constantsAt(node), ...ofRoute];
    const type = derive(field.type, node, { name: `${capitalized(operationName)}Response`, constants });
    if (constants.length > 0 && isListType(getNullableType(field.type))) {
      report('Constants need a body that is an object, not a list.', node);
    }
    const isNonNull = body.every(parent => isNonNullType(parent.field.type));
    return isNonNull ? type : getNullableType(type);
  }

  function derive(type: GraphQLOutputType, node: FieldNode, anonymous: AnonymousType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(derive(type.ofType, node, anonymous)));
    if (isListType(type)) return new GraphQLList(derive(type.ofType, node, anonymous));
    if (isObjectType(type)) return objectType(type, node, anonymous);
    return isLeafType(type) ? leaf(type) : type;
  }

  /** The type of a selection: that of its fragment where it is a single one. */
  function objectType(
    parent: GraphQLObjectType,
    node: FieldNode,
    { name, constants = [] }: AnonymousType,
  ): GraphQLObjectType {
    const selections = selectionsInBody(node);
    const [only, ...others] = selections;
    const isFragment = only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0 && constants.length === 0;
    const fragment = isFragment ? fragments.get(only.name.value) : undefined;
    if (!fragment) return create(parent, { name, node, selections, constants });
    const known = typesByFragment.get(fragment);
    if (known) return known;
    const ofFragment = fragment.selectionSet.selections;
    const description =
      directiveAt(schema, 'description', fragment)?.text ??
      describeOutput(parent.description, namesIn(parent, ofFragment));
    const draft = { name: fragment.name.value, node: fragment, selections: ofFragment, constants: [], description };
    events &&= eventsOf(fragment);
    const type = create(parent, draft);
    typesByFragment.set(fragment, type);
    return type;
  }

  function create(parent: GraphQLObjectType, { name, node, selections, constants, description }: ObjectTypeDraft) {
    const entries = nest([...fieldsOf(parent, selections, name)], { parent, name, node });
    const isTaken = types.has(name) || isLeafType(schema.getType(name)) || reservedTypes.has(name);
    if (isTaken) report(`There is another type named ${name}; rename this one.`, node);
    if (name.length > maxNameLength) {
      report(`The type has a name of ${name.length} characters; select a fragment, whose name it takes.`, node);
    }
    for (const constant of constants) insertConstant(constant, entries, node);
    const extensions: TypeExtensions = { graphType: parent.name };
    const type = new GraphQLObjectType({ name, description, fields: Object.fromEntries(entries), extensions });
    types.set(name, type);
    return type;
  }

  /** Moves fields whose keys are paths into objects, each of which is at the place of its first field. */
  function nest(
    entries: readonly [string, Field][],
    { parent, name, node }: { readonly parent: GraphQLObjectType; readonly name: string; readonly node: ASTNode },
  ): [string, Field][] {
    const groups = Map.groupBy(entries, ([path]) => path.split('.')[0] ?? '');
    return [...groups].map(([key, members]): [string, Field] => {
      const [[path = '', first] = [], ...others] = members;
      if (path === key && first && others.length === 0) return [key, first];
      if (members.some(([other]) => other === key))
        report(`"${key}" is a field and, by @at, an object of others; give one of them another path.`, node);
      const below = members.flatMap(([other, field]): [string, Field][] =>
        other === key ? [] : [[other.slice(key.length + 1), field]],
      );
      const groupName = `${name}${capitalized(key)}`;
      const fields = Object.fromEntries(nest(below, { parent, name: groupName, node }));
      const type = new GraphQLObjectType({ name: groupName, fields, extensions: { graphType: parent.name } });
      if (types.has(groupName)) report(`There is another type named ${groupName}; choose another path.`, node);
      types.set(groupName, type);
      return [key, { type: new GraphQLNonNull(type), extensions: { isGroup: true } satisfies FieldExtensions }];
    });
  }

  function fieldsOf(parent: GraphQLObjectType, selections: readonly SelectionNode[], name: string): Fields {
    const fields: Fields = new Map();
    const names = namesIn(parent, selections);
    for (const selection of selections) {
      for (const [key, field] of fieldsFrom(parent, selection, name, names)) {
        if (fields.has(key)) report(`${name} already has a field "${key}".`, selection);
        fields.set(key, field);
      }
    }
    return fields;
  }

  function fieldsFrom(parent: GraphQLObjectType, selection: SelectionNode, name: string, names: Names): Fields {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value);
      return fieldsOf(parent, fragment?.selectionSet.selections ?? [], name);
    }
    const field = selection.kind === Kind.FIELD ? parent.getFields()[selection.name.value] : undefined;
    if (selection.kind !== Kind.FIELD || !field) return new Map();
    const key = keyOf(selection);
    const path = pathOf(selection);
    const constants = constantsAt(selection);
    const typeName = `${name}${path.split('.').map(capitalized).join('')}`;
    const ofMessage = events;
    events = undefined;
    const derived = derive(field.type, selection, { name: typeName, constants });
    events = ofMessage;
    const { type, ...mapping } =
      mappedType(schema, derived, selection, { report, events }) ?? onlyField(derived, selection);
    const override = directiveAt(schema, 'description', selection)?.text;
    const isGiven = directiveAt(schema, 'default', selection) !== undefined;
    const isUntrue = (clause: string) => isGiven && isAboutOmission(clause);
    // Of a map, the names are those of its own keys.
    const beside = isMap(field.type) ? [] : names;
    const inherited = describeOutput(
      field.description,
      new Map([...beside, ...argumentNames(field, selection)]),
      isUntrue,
    );
    const deprecation = directiveAt(schema, 'deprecated', selection);
    const description = describeDeprecated(deprecation, override ?? inherited);
    const nullable = nullability(type, selection);
    const source = { node: selection, field };
    const extensions = { source, ...nullable.extensions, ...mapping, ...(path !== key && { key }), deprecation };
    return new Map([[path, { description, ...nullable, extensions }]]);
  }

  /** The type of a field with `@only`, which is that of a field below it. */
  function onlyField(type: GraphQLOutputType, node: FieldNode): Pick<FieldExtensions, 'only'> & Pick<Field, 'type'> {
    const name = directiveAt(schema, 'only', node)?.field;
    if (name === undefined) return { type };
    const object = getNamedType(type);
    const field = isObjectType(object) ? object.getFields()[name] : undefined;
    if (isObjectType(object) && field)
      return { type: replaceNamed(type, field.type), only: { type: object, field: name } };
    report(
      `@only(field: "${name}") needs an object with this field; "${keyOf(node)}" has none. Select it, or correct the name.`,
      node,
    );
    return { type };
  }

  /** The path of a field in the object that its type is. */
  function pathOf(node: FieldNode): string {
    const path = directiveAt(schema, 'at', node)?.path;
    if (path === undefined || pathPattern.test(path)) return path ?? keyOf(node);
    report(`"${path}" is not a path such as "data.store_id": names of fields, separated by dots.`, node);
    return keyOf(node);
  }

  function nullability(type: GraphQLOutputType, node: FieldNode): Pick<Field, 'type' | 'extensions'> {
    const directive = directiveAt(schema, 'default', node);
    const maxBytes = directiveAt(schema, 'atMost', node)?.bytes;
    const isOptional = hasDirective(node, 'optional') || hasDirective(node, 'ifReadable') || maxBytes !== undefined;
    if (!directive && maxBytes !== undefined) return { type: getNullableType(type), extensions: { maxBytes } };
    if (!directive) return { type: isOptional ? getNullableType(type) : type };
    if (isNonNullType(type)) report('@default replaces null, but this field is non-null.', node);
    for (const problem of findMismatches(getNullableType(type), directive.value, keyOf(node))) {
      report(`The value of @default is not of the type ${getNullableType(type)}: ${problem}.`, node);
    }
    const extensions: FieldExtensions = { default: directive.value };
    return { type: new GraphQLNonNull(getNullableType(type)), extensions };
  }

  function insertConstant(
    { name, value, before, optional }: Constant,
    entries: [string, Field][],
    node: ASTNode,
  ): void {
    const index = before ? entries.findIndex(([key]) => key === before) : entries.length;
    if (index < 0) report(`The constant "${name}" has no field "${before}" to precede.`, node);
    if (entries.some(([key]) => key === name)) report(`The body already has a field "${name}".`, node);
    const type = optional ? GraphQLString : new GraphQLNonNull(GraphQLString);
    const extensions: FieldExtensions = { constant: value };
    entries.splice(index, 0, [name, { type, description: `Always \`${value}\`.`, extensions }]);
  }

  return { types, leaf, ofBody };
}

/** Finds what a value has that no body of a derived type has. */
export function* findMismatches(type: GraphQLOutputType, value: unknown, path: string): Generator<string> {
  if (isNonNullType(type)) {
    if (value === undefined) yield `${path} is missing`;
    else yield* findMismatches(type.ofType, value, path);
  } else if (value === undefined) return;
  else if (value === null) yield `${path} is null`;
  else if (isListType(type)) {
    if (!Array.isArray(value)) yield `${path} is not a list`;
    else
      for (const [index, element] of value.entries()) yield* findMismatches(type.ofType, element, `${path}.${index}`);
  } else if (isObjectType(type)) {
    const fields = type.getFields();
    if (!isObject(value)) return yield `${path} is not an object`;
    for (const name of Object.keys(value)) if (!fields[name]) yield `${path}.${name} is not a field of it`;
    for (const { name, type: fieldType, extensions } of Object.values(fields)) {
      const { values, constant }: FieldExtensions = extensions;
      yield* findMismatches(fieldType, value[name], `${path}.${name}`);
      const known = values?.map(({ as }) => as) ?? (constant === undefined ? undefined : [constant]);
      for (const each of known ? [value[name]].flat() : []) {
        if (each !== undefined && !known?.includes(each))
          yield `${path}.${name} is ${JSON.stringify(each)}, not ${known?.map(one => JSON.stringify(one)).join(' or ')}`;
      }
    }
  } else if (isLeafType(type) && !isLeafValue(type, value)) yield `${path} is no ${type}`;
}

function isLeafValue(type: Extract<GraphQLOutputType, { parseValue: unknown }>, value: unknown): boolean {
  // As input, an ID may be a number.
  if (type.name === 'ID') return typeof value === 'string';
  try {
    type.parseValue(value);
    return true;
  } catch {
    return false;
  }
}
