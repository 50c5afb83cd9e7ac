import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { compileReader, type Reader } from '../../input/reader.ts';
import { ValidationErrors } from '../../input/validation-errors.ts';
import { directiveAt, type RouteDirective } from './directives.ts';
import type { Report } from './errors.ts';
import { describeVariables } from './variables.ts';

/** A variable of an operation as a caller gives it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The graph's type: what the reader makes. */
  readonly type: GraphQLInputType;
  readonly required: boolean;
  readonly reader: Reader;
  readonly defaultValue: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly description: string | undefined;
  readonly example: unknown;
  /** The operations whose tags an If-Match may carry. */
  readonly tagsOf: readonly string[];
}

const integers = new Set(['Int', 'SafeInt']);

/** The names in braces, in their order. */
export const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');

/** `{name}` in the documentation's way, `:name` in Fastify's. */
export const colonPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

export function readParameters(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  route: RouteDirective,
  report: Report,
): Parameter[] {
  const descriptions = describeVariables(schema, operation);
  const definitions = operation.variableDefinitions ?? [];
  const inPath = namesInPath(route.path);
  for (const name of inPath.filter(name => definitions.every(({ variable }) => variable.name.value !== name))) {
    report(`{${name}} in the path is not a variable of the operation.`, operation);
  }
  return definitions.flatMap(definition => {
    const name = definition.variable.name.value;
    const place = inPath.includes(name) ? 'path' : placeOf(schema, definition, route);
    return readParameter(schema, { definition, place, description: descriptions.get(name) }, report) ?? [];
  });
}

function placeOf(schema: GraphQLSchema, definition: VariableDefinitionNode, { method }: RouteDirective) {
  if (directiveAt(schema, 'ifMatch', definition)) return 'header';
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
}

interface Located {
  readonly definition: VariableDefinitionNode;
  readonly place: Parameter['in'];
  readonly description: string | undefined;
}

function readParameter(
  schema: GraphQLSchema,
  { definition, place, description }: Located,
  report: Report,
): Parameter | undefined {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return undefined;
  checkType(type, { definition, place, description }, report);
  const range = directiveAt(schema, 'range', definition);
  const bounds = { min: range?.min ?? undefined, max: range?.max ?? undefined };
  if (range && !integers.has(getNullableType(type).toString())) {
    report(`@range bounds whole numbers; $${name} is ${type}.`, definition);
  }
  const reader = readerOf(type, { source: place === 'body' ? 'json' : 'text', ...bounds }, definition, report);
  if (!reader) return undefined;
  const parameter: Parameter = {
    name,
    in: place,
    type,
    required: isNonNullType(type) && !definition.defaultValue,
    reader,
    defaultValue: definition.defaultValue && valueFromAST(definition.defaultValue, type),
    ...bounds,
    description: directiveAt(schema, 'description', definition)?.text ?? description,
    example: directiveAt(schema, 'example', definition)?.value,
    tagsOf: directiveAt(schema, 'ifMatch', definition)?.tagsOf ?? [],
  };
  checkExample(parameter, 'example', definition, report);
  checkExample(parameter, 'defaultValue', definition, report);
  return parameter;
}

function checkType(type: GraphQLInputType, { definition, place }: Located, report: Report): void {
  const name = definition.variable.name.value;
  const bare = getNullableType(type);
  if (place === 'path' && (!isNonNullType(type) || definition.defaultValue)) {
    report(`$${name} is in the path, so it must be required.`, definition);
  }
  if (place === 'path' && isListType(bare)) report(`$${name} is in the path, so it cannot be a list.`, definition);
  if (place !== 'body' && isInputObjectType(getNamedType(type))) {
    report(`$${name} is an input object; one can only come in a body.`, definition);
  }
  if (place === 'header' && (isNonNullType(type) || !integers.has(bare.toString()))) {
    report(`An @ifMatch is a whole number that may be absent; $${name} is ${type}.`, definition);
  }
}

function readerOf(
  type: GraphQLInputType,
  options: Parameters<typeof compileReader>[1],
  definition: VariableDefinitionNode,
  report: Report,
): Reader | undefined {
  try {
    return compileReader(type, options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error), definition);
    return undefined;
  }
}

function checkExample(
  parameter: Parameter,
  kind: 'example' | 'defaultValue',
  definition: VariableDefinitionNode,
  report: Report,
): void {
  const value = parameter[kind];
  if (value === undefined) return;
  const errors = new ValidationErrors();
  parameter.reader.read(parameter.in === 'body' ? value : String(value), [parameter.name], errors);
  for (const { loc, msg } of errors.list) {
    report(`The ${kind === 'example' ? 'example' : 'default'} of $${loc.join('.')} is wrong: ${msg}.`, definition);
  }
}
