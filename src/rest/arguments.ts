import type { FastifyRequest } from 'fastify';
import { type GraphQLSchema, getNamedType, getNullableType, isListType } from 'graphql';
import { isObject } from '../input/json.ts';
import { ValidationErrors } from '../input/validation-errors.ts';
import { readBody } from './body.ts';
import type { Variables } from './compile.ts';
import type { Operation } from './contract/contract.ts';
import type { Parameter } from './contract/parameters.ts';
import { unprocessable } from './errors.ts';
import { expectedRevision } from './etag.ts';
import { compileCheckPart } from './partial.ts';

/** Reads the variables of an operation from a request; every error at once is 422. */
export type ReadArguments = (request: FastifyRequest) => Variables;

export function compileArguments(
  graph: GraphQLSchema,
  operation: Operation,
  operations: readonly Operation[],
): ReadArguments {
  const { parameters } = operation;
  const [header] = parameters.filter(parameter => parameter.in === 'header');
  const tagged = operations.filter(({ name }) => header?.tagsOf.includes(name));
  const hashes = new Set(tagged.map(({ hash }) => hash));
  const inBody = parameters.filter(parameter => parameter.in === 'body');
  const checkPart = compileCheckPart(graph, operation);
  return request => {
    const errors = new ValidationErrors();
    const given = valuesOf(request, inBody, errors);
    const variables: Record<string, unknown> = {};
    for (const parameter of parameters) read(parameter, given, variables, errors);
    if (errors.list.length > 0) {
      if (!errors.full) for (const { loc, type, msg } of checkPart(variables)) errors.add(loc, type, msg);
      throw unprocessable(errors.list);
    }
    if (header) {
      const revision = expectedRevision(request.headers['if-match'], hashes);
      if (revision !== undefined) variables[header.name] = header.reader.read(revision, ['header', 'if-match'], errors);
    }
    return variables;
  };
}

/** What a request gives by place and name; undefined for a place that cannot be looked into. */
type Given = Readonly<Record<'path' | 'query' | 'body', ((name: string) => unknown) | undefined>>;

function valuesOf(request: FastifyRequest, inBody: readonly Parameter[], errors: ValidationErrors): Given {
  const { params, url } = request;
  const search = url.indexOf('?');
  const query = search < 0 ? undefined : new URLSearchParams(url.slice(search));
  return {
    path: name => (isObject(params) ? params[name] : undefined),
    query: name => query?.getAll(name),
    body: inBody.length > 0 ? fieldsOf(readBody(request), inBody, errors) : undefined,
  };
}

function fieldsOf(body: unknown, parameters: readonly Parameter[], errors: ValidationErrors): Given['body'] {
  if (isObject(body)) return name => (Object.hasOwn(body, name) ? body[name] : undefined);
  if (body !== undefined && body !== null) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    errors.add(['body'], 'model_attributes_type', msg);
  } else if (parameters.some(parameter => parameter.required)) errors.add(['body'], 'missing', 'Field required');
  return undefined;
}

function read(parameter: Parameter, given: Given, variables: Record<string, unknown>, errors: ValidationErrors): void {
  const { name, required, reader, defaultValue } = parameter;
  const find = parameter.in === 'header' ? undefined : given[parameter.in];
  if (!find) return;
  const value = parameter.in === 'query' ? givenInQuery(parameter, find(name)) : find(name);
  const absent = value === undefined || (value === null && !required) || isEmptyFilter(parameter, value);
  if (!absent) variables[name] = reader.read(value, [parameter.in, name], errors);
  else if (required) errors.add([parameter.in, name], 'missing', 'Field required');
  else if (defaultValue !== undefined) variables[name] = defaultValue;
}

/** Of a repeated parameter the last one counts, as FastAPI has it; those of a list are one list, as generated clients send it. */
function givenInQuery({ type }: Parameter, values: unknown): unknown {
  if (!Array.isArray(values)) return undefined;
  return isListType(getNullableType(type)) && values.length > 1 ? values.filter(Boolean).join(',') : values.at(-1);
}

/** `?customer_name=` sets no condition, nor does an empty list; other types have no empty value. */
function isEmptyFilter({ in: place, type }: Parameter, value: unknown): boolean {
  if (place !== 'query' || value !== '') return false;
  return isListType(getNullableType(type)) || ['String', 'ID'].includes(getNamedType(type).name);
}
