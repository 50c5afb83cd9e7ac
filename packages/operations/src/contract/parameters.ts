import { ValidationErrors } from '@carte/base/validation';
import {
  type ArgumentNode,
  type ASTNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { MappedField } from '../input/mapped.ts';
import { isOwnType, toSnakeValue } from '../input/names.ts';
import { compileReader, type Reader, toReader } from '../input/reader.ts';
import { describeDeprecated } from './deprecation.ts';
import { hasOtherBounds, inheritDescription, isAboutOmission } from './descriptions.ts';
import {
  type Deprecation,
  directiveAt,
  interfaceOf,
  type RouteDirective,
  unknownFieldsIn,
  type ValueMapping,
} from './directives.ts';
import { nameInBodies } from './inputs.ts';
import { checkValues } from './mapped-values.ts';
import { compileShape, type Target } from './shapes.ts';
import type { Report } from './sources.ts';

/** A variable of an operation as a parameter of the request. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** Where errors about it are: with the names of headers in lower case, as FastAPI. */
  readonly loc: readonly [string, string];
  /** Its type in the graph. */
  readonly type: GraphQLInputType;
  readonly required: boolean;
  readonly reader: Reader;
  readonly defaultValue: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly description: string | undefined;
  readonly example: unknown;
  /** The name of the header, as documented; undefined elsewhere. */
  readonly header: string | undefined;
  /** The operations whose ETags If-Match accepts. */
  readonly etagsOf: readonly string[];
  /** Of a variable: the values of callers in place of those of the graph, which the default is one of. */
  readonly values?: readonly ValueMapping[] | undefined;
  readonly deprecation: Deprecation | undefined;
  /** Of a field of a body in an own shape: how it is mapped, to paths that begin with a variable, most often one. */
  readonly mapped?: readonly (MappedField & { readonly reader: Reader })[];
}

/** The header of `@ifMatch`; its value is an ETag, not that of the variable. */
export const ifMatchHeader = 'If-Match';

const integers = new Set(['Int', 'SafeInt']);

/** The names of path parameters. */
export const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');

/** `{name}` as in OpenAPI to `:name` as in Fastify. */
export const colonPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

export function readParameters(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  route: RouteDirective,
  report: Report = () => {},
): Parameter[] {
  const descriptions = describeVariables(schema, operation);
  const definitions = operation.variableDefinitions ?? [];
  const inPath = namesInPath(route.path);
  for (const name of inPath.filter(name => definitions.every(({ variable }) => variable.name.value !== name))) {
    report(`{${name}} in the path is not a variable of the operation; add ($${name}: ID!).`, operation);
  }
  const sourceOf = (definition: VariableDefinitionNode): Parameter['in'] => {
    const isInUrl = route.method === 'GET' || route.method === 'DELETE';
    if (inPath.includes(definition.variable.name.value)) return 'path';
    return headerOf(schema, definition) !== undefined ? 'header' : isInUrl ? 'query' : 'body';
  };
  const { body } = route;
  const mapped = body == null ? [] : definitions.filter(definition => sourceOf(definition) === 'body');
  const ownBody = body == null ? [] : readOwnBody(schema, { body, operation, variables: mapped, route }, report);
  const others = definitions
    .filter(definition => !mapped.includes(definition))
    .flatMap(definition => {
      const name = definition.variable.name.value;
      const header = headerOf(schema, definition);
      const source = sourceOf(definition);
      return readParameter(schema, { definition, source, header, description: descriptions.get(name) }, report) ?? [];
    });
  return [...others, ...ownBody];
}

interface OwnBody {
  readonly body: string;
  readonly operation: OperationDefinitionNode;
  readonly variables: readonly VariableDefinitionNode[];
  readonly route: RouteDirective;
}

/** The fields of a body in an own shape, which set variables of the operation. */
function readOwnBody(
  schema: GraphQLSchema,
  { body, operation, variables, route }: OwnBody,
  report: Report,
): Parameter[] {
  const type = schema.getType(body);
  if (!isInputObjectType(type) || !isOwnType(type)) {
    report(`There is no input type "${body}" in this set; define it: input ${body} { … }.`, operation);
    return [];
  }
  if (route.method === 'GET' || route.method === 'DELETE') {
    report(`${route.method} has no body; add method: POST, or remove body: "${body}".`, operation);
    return [];
  }
  const targets = new Map<string, Target>();
  for (const definition of variables) {
    const name = definition.variable.name.value;
    const variableType = typeFromAST(schema, definition.type);
    if (!isInputType(variableType)) continue;
    if (definition.defaultValue) report(`$${name} is set by ${body}; give the default to a field of that.`, definition);
    if (directiveAt(schema, 'values', definition))
      report(`$${name} is set by ${body}; give @values to a field of that.`, definition);
    const { min, max } = directiveAt(schema, 'range', definition) ?? {};
    const bounds = { min: min ?? undefined, max: max ?? undefined };
    targets.set(name, { type: variableType, isRequired: isNonNullType(variableType), bounds });
  }
  const unknownFields = unknownFieldsIn(interfaceOf(schema));
  const fields = compileShape(schema, type, targets, { unknownFields, report });
  const byName = Map.groupBy(fields, ({ name }) => name);
  return [...byName].flatMap(([name, places]): Parameter[] => {
    const { type: fieldType, description, astNode } = type.getFields()[name] as GraphQLInputField;
    const mapped = places.map(field => ({ ...field, reader: toReader(field.value.read) }));
    const [first] = mapped;
    if (!first) return [];
    const [variable = '', ...below] = first.path ?? [];
    const bounds = below.length === 0 ? targets.get(variable)?.bounds : undefined;
    const deprecation = astNode ? directiveAt(schema, 'deprecated', astNode) : undefined;
    const parameter: Parameter = {
      name,
      in: 'body',
      loc: ['body', name],
      type: fieldType,
      required: first.isRequired,
      reader: first.reader,
      defaultValue: first.preset,
      min: bounds?.min,
      max: bounds?.max,
      description: describeDeprecated(deprecation, description ?? undefined),
      example: astNode && directiveAt(schema, 'example', astNode)?.value,
      header: undefined,
      etagsOf: [],
      deprecation,
      mapped,
    };
    if (astNode) checkSamples(parameter, astNode, report);
    return [parameter];
  });
}

interface ParameterSource {
  readonly definition: VariableDefinitionNode;
  readonly source: Parameter['in'];
  readonly header: string | undefined;
  readonly description: Inherited | undefined;
}

function readParameter(
  schema: GraphQLSchema,
  { definition, source, header: givenHeader, description }: ParameterSource,
  report: Report,
): Parameter | undefined {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return undefined;
  checkType(type, { definition, source, header: givenHeader }, report);
  const range = directiveAt(schema, 'range', definition);
  const bounds = { min: range?.min ?? undefined, max: range?.max ?? undefined };
  if (range && !integers.has(getNullableType(type).toString())) {
    report(`@range needs an integer; $${name} is ${type}.`, definition);
  }
  const values = readValues(schema, type, { definition, source }, report);
  const unknownFields = unknownFieldsIn(interfaceOf(schema));
  let reader: Reader;
  try {
    reader = compileReader(type, { source: source === 'body' ? 'json' : 'text', unknownFields, values, ...bounds });
  } catch (error) {
    report(error instanceof Error ? error.message : String(error), definition);
    return undefined;
  }
  const header = source === 'header' ? givenHeader : undefined;
  const deprecation = directiveAt(schema, 'deprecated', definition);
  const isGiven = isNonNullType(type) || definition.defaultValue !== undefined;
  const isUntrue = (clause: string) =>
    (isGiven && isAboutOmission(clause)) || (range !== undefined && hasOtherBounds(clause, [bounds.min, bounds.max]));
  const parameter: Parameter = {
    name,
    in: source,
    loc: [source, header?.toLowerCase() ?? name],
    type,
    required: isNonNullType(type) && !definition.defaultValue,
    reader,
    defaultValue: definition.defaultValue && valueFromAST(definition.defaultValue, type),
    ...bounds,
    description: describeDeprecated(
      deprecation,
      directiveAt(schema, 'description', definition)?.text ?? definition.description?.value ?? description?.(isUntrue),
    ),
    example: directiveAt(schema, 'example', definition)?.value,
    header,
    etagsOf: directiveAt(schema, 'ifMatch', definition)?.etagsOf ?? [],
    values,
    deprecation,
  };
  if (source === 'header') checkHeader(parameter, definition, report);
  checkSamples(parameter, definition, report);
  return parameter;
}

/** The values of callers for those of a variable, after checks. */
function readValues(
  schema: GraphQLSchema,
  type: GraphQLInputType,
  { definition, source }: Pick<ParameterSource, 'definition' | 'source'>,
  report: Report,
): readonly ValueMapping[] | undefined {
  const values = directiveAt(schema, 'values', definition)?.map;
  if (!values) return undefined;
  const name = `$${definition.variable.name.value}`;
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    report(`@values needs an enum, a boolean or a text; ${name} is ${type}.`, definition);
    return undefined;
  }
  for (const other of ['range', 'ifMatch'] as const) {
    if (directiveAt(schema, other, definition))
      report(`${name} has either @values or @${other}; remove one of them.`, definition);
  }
  checkValues(values, named, message => report(message, definition));
  const isList = isListType(getNullableType(type));
  const isReadable = isList ? /^[^\s,](?:[^,]*[^\s,])?$/ : /./;
  for (const { as } of source === 'body' ? [] : values.filter(each => !isReadable.test(String(each.as)))) {
    const reason = isList ? 'a list that is separated by commas' : `a value of the ${source}`;
    report(`@values has ${JSON.stringify(as)}, which ${reason} cannot have; choose another.`, definition);
  }
  const { defaultValue } = definition;
  for (const preset of [defaultValue ? (valueFromAST(defaultValue, type) ?? []) : []].flat()) {
    if (values.every(({ of }) => of !== preset))
      report(`@values has nothing for ${preset}, the default; add { of: ${preset}, as: "…" }.`, definition);
  }
  return values;
}

function checkType(
  type: GraphQLInputType,
  { definition, source, header }: Omit<ParameterSource, 'description'>,
  report: Report,
): void {
  const name = definition.variable.name.value;
  if (source === 'path') {
    const isRequired = isNonNullType(type) && !definition.defaultValue;
    if (!isRequired) report(`$${name} is in the path, so it must be required.`, definition);
    if (isListType(getNullableType(type))) report(`$${name} is in the path, so it cannot be a list.`, definition);
  }
  if (source !== 'body' && isInputObjectType(getNamedType(type))) {
    report(
      `$${name} is an input object, so it must be in the body: add method: POST, or use variables for its fields.`,
      definition,
    );
  }
  if (source === 'path' && header !== undefined) {
    report(`$${name} is in the path, so it cannot come from a header.`, definition);
  }
}

function headerOf(schema: GraphQLSchema, definition: VariableDefinitionNode): string | undefined {
  if (directiveAt(schema, 'ifMatch', definition)) return ifMatchHeader;
  return directiveAt(schema, 'header', definition)?.name;
}

/** Headers that HTTP, the server or OpenAPI give a meaning of their own. */
const ownHeaders =
  /^(?:x-api-key|authorization|cookie|host|origin|connection|expect|te|trailer|transfer-encoding|upgrade|date|if-.+|accept(?:-encoding)?|content-.+|access-control-.+|proxy-.+|sec-.+)$/i;
const headerPattern = /^[\w!#$%&'*+.^`|~-]+$/;

function checkHeader({ header = '', name, type }: Parameter, definition: VariableDefinitionNode, report: Report): void {
  if (header === ifMatchHeader) {
    if (!isNonNullType(type) && integers.has(type.toString())) return;
    report(`@ifMatch needs a nullable integer; $${name} is ${type}.`, definition);
  } else if (!headerPattern.test(header) || ownHeaders.test(header)) {
    report(`$${name} cannot come from the header "${header}"; choose a name such as Idempotency-Key.`, definition);
  }
}

/** Checks the example and the default, which is a literal of the graph with its names. */
function checkSamples(parameter: Parameter, definition: ASTNode, report: Report): void {
  const { name, reader, example } = parameter;
  for (const [kind, value] of Object.entries({ example, default: defaultOf(parameter) })) {
    if (value === undefined) continue;
    const errors = new ValidationErrors();
    reader.read(parameter.in === 'body' ? value : String(value), [name], errors);
    for (const { loc, msg } of errors.list) {
      report(`The ${kind} of ${parameter.mapped ? '' : '$'}${loc.join('.')} is invalid: ${msg}.`, definition);
    }
  }
}

/** The default of a parameter as a caller would send it. */
export function defaultOf({ type, defaultValue, values }: Parameter): unknown {
  if (!values) return toSnakeValue(type, defaultValue);
  const toCaller = (value: unknown) => values.find(({ of }) => of === value)?.as;
  return Array.isArray(defaultValue) ? defaultValue.map(toCaller) : toCaller(defaultValue);
}

/** Finds what the graph says about each variable, as far as it is true of the parameter. */
function describeVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): ReadonlyMap<string, Inherited> {
  const descriptions = new Map<string, Inherited>();
  const typeInfo = new TypeInfo(schema);
  const describe = (
    { name, value }: ArgumentNode | ObjectFieldNode,
    siblings: readonly (GraphQLArgument | GraphQLInputField)[],
    given: readonly (ArgumentNode | ObjectFieldNode)[],
  ) => {
    const description = siblings.find(sibling => sibling.name === name.value)?.description;
    if (value.kind !== Kind.VARIABLE || !description) return;
    const variableOf = (sibling: string) => {
      const bound = given.find(candidate => candidate.name.value === sibling)?.value;
      return bound?.kind === Kind.VARIABLE ? bound.name.value : undefined;
    };
    const names = new Map(siblings.map(sibling => [sibling.name, variableOf(sibling.name)]));
    descriptions.set(value.name.value, isUntrue =>
      inheritDescription(description, { names, otherName: nameInBodies(schema), isUntrue }),
    );
  };
  visit(
    operation,
    visitWithTypeInfo(typeInfo, {
      Field({ arguments: given = [] }) {
        for (const node of given) describe(node, typeInfo.getFieldDef()?.args ?? [], given);
      },
      ObjectValue({ fields: given }) {
        const type = getNullableType(typeInfo.getInputType());
        if (!isInputObjectType(type)) return;
        for (const node of given) describe(node, Object.values(type.getFields()), given);
      },
    }),
  );
  return descriptions;
}

/** The description of a variable without clauses that are not true of it. */
type Inherited = (isUntrue: (clause: string) => boolean) => string | undefined;
