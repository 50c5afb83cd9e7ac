import type { FastifyRequest } from 'fastify';
import { type GraphQLSchema, getNamedType, getNullableType, isListType } from 'graphql';
import { expectedRevision } from '../cache/etag.ts';
import { isObject } from '../input/json.ts';
import { ValidationErrors } from '../input/validation-errors.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { readBody } from './body.ts';
import type { Variables } from './compile.ts';
import type { Operation } from './contract/contract.ts';
import type { Parameter } from './contract/parameters.ts';
import { compilePartialCheck } from './domain-errors.ts';
import { unprocessable } from './errors.ts';

/** Reads the variables of an operation from a request. Throws or rejects with 422 and all validation errors. */
export type ReadArguments = (request: FastifyRequest) => Variables | Promise<Variables>;

export function compileArguments(
  graph: GraphQLSchema,
  operation: Operation,
  operations: readonly Operation[],
): ReadArguments {
  const { parameters } = operation;
  const [ifMatch] = parameters.filter(parameter => parameter.in === 'header');
  const matching = operations.filter(({ name }) => ifMatch?.etagsOf.includes(name));
  const hashes = new Set(matching.map(({ hash }) => hash));
  const bodyParameters = parameters.filter(parameter => parameter.in === 'body');
  const checkPartialInput = compilePartialCheck(graph, operation);
  const reject = async (variables: Variables, errors: ValidationErrors): Promise<never> => {
    if (!errors.full) for (const { loc, type, msg } of await checkPartialInput(variables)) errors.add(loc, type, msg);
    throw unprocessable(errors.list);
  };
  const complete = (request: FastifyRequest, variables: Record<string, unknown>, errors: ValidationErrors) => {
    if (errors.list.length > 0) return reject(variables, errors);
    if (ifMatch) {
      const revision = expectedRevision(request.headers['if-match'], hashes);
      if (revision !== undefined) {
        variables[ifMatch.name] = ifMatch.reader.read(revision, ['header', 'if-match'], errors);
      }
    }
    return variables;
  };
  return request => {
    const errors = new ValidationErrors();
    const isLarge = Buffer.isBuffer(request.body) && request.body.length > largeBody;
    const input = readInput(request, bodyParameters, errors);
    const variables: Record<string, unknown> = {};
    const read = (parameter: Parameter) => readParameter(parameter, input, variables, errors);
    if (isLarge) return forEachInTurn(parameters, read).then(() => complete(request, variables, errors));
    for (const parameter of parameters) read(parameter);
    return complete(request, variables, errors);
  };
}

/** In bytes; of a larger body each list is read in a turn of the event loop of its own. */
const largeBody = 256 * 1024;

async function forEachInTurn<Element>(list: readonly Element[], run: (element: Element) => void): Promise<void> {
  const slice = new TimeSlice();
  for (const element of list) {
    await slice.yield();
    run(element);
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface Input {
  readonly path: Fields;
  readonly query: URLSearchParams | undefined;
  /** Undefined without an object to read. */
  readonly body: Fields | undefined;
}

function readInput(request: FastifyRequest, bodyParameters: readonly Parameter[], errors: ValidationErrors): Input {
  const { params, url } = request;
  const search = url.indexOf('?');
  return {
    path: isObject(params) ? params : {},
    query: search < 0 ? undefined : new URLSearchParams(url.slice(search)),
    body: bodyParameters.length > 0 ? readFields(request, bodyParameters, errors) : undefined,
  };
}

function readFields(request: FastifyRequest, parameters: readonly Parameter[], errors: ValidationErrors) {
  const body = readBody(request);
  if (isObject(body)) return body;
  if (body !== undefined && body !== null) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    errors.add(['body'], 'model_attributes_type', msg);
  } else if (parameters.some(parameter => parameter.required)) errors.add(['body'], 'missing', 'Field required');
  return undefined;
}

function readParameter(
  parameter: Parameter,
  input: Input,
  variables: Record<string, unknown>,
  errors: ValidationErrors,
): void {
  const { name, required, reader, defaultValue } = parameter;
  if (parameter.in === 'header' || (parameter.in === 'body' && !input.body)) return;
  const value = findValue(parameter, input);
  const isAbsent = value === undefined || (value === null && !required) || isEmptyFilter(parameter, value);
  if (!isAbsent) variables[name] = reader.read(value, [parameter.in, name], errors);
  else if (required) errors.add([parameter.in, name], 'missing', 'Field required');
  else if (defaultValue !== undefined) variables[name] = defaultValue;
}

function findValue(parameter: Parameter, { path, query, body }: Input): unknown {
  const { name } = parameter;
  if (parameter.in === 'path') return path[name];
  if (parameter.in === 'query') return query && queryValue(parameter, query.getAll(name));
  return body && Object.hasOwn(body, name) ? body[name] : undefined;
}

/** The last of repeated parameters wins, as in FastAPI; those of a list are joined, as generated clients send them. */
function queryValue({ type }: Parameter, values: readonly string[]): string | undefined {
  return isListType(getNullableType(type)) && values.length > 1 ? values.filter(Boolean).join(',') : values.at(-1);
}

/** `?customer_name=` and an empty list set no condition; other types have no empty value. */
function isEmptyFilter(parameter: Parameter, value: unknown): boolean {
  if (parameter.in !== 'query' || value !== '') return false;
  return isListType(getNullableType(parameter.type)) || ['String', 'ID'].includes(getNamedType(parameter.type).name);
}
