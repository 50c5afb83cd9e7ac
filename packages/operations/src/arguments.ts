import { isObject, JsonSyntaxError } from '@carte/base/json';
import { JsonTooLarge, parseUntrustedJson } from '@carte/base/json-parts';
import { forbidUnknownFields, type RequestError, ValidationErrors } from '@carte/base/validation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getNamedType, getNullableType, isListType } from 'graphql';
import type { Contract, Operation } from './contract/contract.ts';
import { unknownFieldsIn } from './contract/directives.ts';
import { ifMatchHeader, type Parameter } from './contract/parameters.ts';
import { compilePartialCheck, type HttpError, unprocessable, unsupportedMediaType } from './errors.ts';
import type { Variables } from './execution/compile.ts';
import { expectedRevision, unknownETag } from './http/etag.ts';
import { compileMessages } from './input/caller-values.ts';
import { type MappedField, place } from './input/mapped.ts';

/** Compiles the function that reads the variables of an operation from a request. It throws 422 with all validation errors. */
export function compileArguments(
  operation: Operation,
  contract: Contract,
  ofService: readonly string[] = [],
): (request: FastifyRequest) => Promise<Variables> {
  const { operations, info } = contract;
  const ifMatch = operation.parameters.find(isIfMatch);
  const parameters = operation.parameters
    .filter(parameter => !isIfMatch(parameter))
    .map(parameter => ({ ...parameter, find: compileFind(parameter) }));
  const matching = operations.filter(({ name }) => ifMatch?.etagsOf.includes(name));
  const hashes = new Set(matching.map(({ hash }) => hash));
  const bodyParameters = parameters.filter(parameter => parameter.in === 'body');
  const namesInBody = new Set(bodyParameters.map(({ name }) => name));
  const forbidsUnknown = unknownFieldsIn(info) === 'forbid';
  const inQuery = new Set(parameters.flatMap(parameter => (parameter.in === 'query' ? parameter.name : [])));
  const checkPartialInput = compilePartialCheck(operation, compileMessages(contract, operation));
  return async request => {
    const errors = new ValidationErrors();
    const body = bodyParameters.length > 0 ? await readFields(request, bodyParameters, errors) : undefined;
    if (body && forbidsUnknown) forbidUnknownFields(body, namesInBody, { keys: ['body'], errors }, 1);
    const search = request.url.indexOf('?');
    const query = search < 0 ? [] : [...new URLSearchParams(request.url.slice(search))];
    if (forbidsUnknown) {
      const others = query.filter(([key]) => !inQuery.has(withoutBrackets(key)) && !ofService.includes(key));
      forbidUnknownFields(Object.fromEntries(others), inQuery, { keys: ['query'], errors }, 1);
    }
    const variables: Record<string, unknown> = {};
    for (const parameter of parameters) {
      const { name, reader, loc, mapped, find } = parameter;
      if (parameter.in === 'body' && !body) continue;
      const value = find(request, query, body);
      // A body may be large.
      if (parameter.in === 'body' && value !== undefined) {
        const count = errors.list.length;
        if (!mapped) variables[name] = await reader.readInSlices(value, loc, errors);
        for (const field of mapped ?? []) {
          // What goes to several places has its errors once.
          if (errors.list.length === count)
            assign(variables, field, await field.reader.readInSlices(value, loc, errors));
        }
      } else readValue(parameter, value, variables, errors);
    }
    if (errors.list.length > 0) {
      if (!errors.full) for (const { loc, type, msg } of await checkPartialInput(variables)) errors.add(loc, type, msg);
      throw unprocessable(errors.list);
    }
    if (ifMatch) {
      const revision = expectedRevision(request.headers['if-match'], hashes);
      if (revision !== undefined) {
        variables[ifMatch.name] = ifMatch.reader.read(revision, ifMatch.loc, errors);
        // Beyond what the variable can have: undefined would be no condition.
        if (errors.list.length > 0) throw unknownETag();
      }
    }
    return variables;
  };
}

const isIfMatch = ({ header }: Parameter) => header === ifMatchHeader;

type Fields = Readonly<Record<string, unknown>>;
type Query = readonly (readonly [key: string, value: string])[];

/** The fields of a body; undefined without an object to read. */
async function readFields(request: FastifyRequest, parameters: readonly Parameter[], errors: ValidationErrors) {
  const body = await readBody(request);
  if (isObject(body)) return body;
  if (body !== undefined && body !== null) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    errors.add(['body'], 'model_attributes_type', msg);
  } else if (parameters.some(parameter => parameter.required)) errors.add(['body'], 'missing', 'Field required');
  return undefined;
}

/** Reads the value of a parameter into its variable; undefined is one that is absent. */
export function readValue(
  parameter: Parameter,
  given: unknown,
  variables: Record<string, unknown>,
  errors: ValidationErrors,
): void {
  const { name, required, reader, defaultValue, loc, mapped } = parameter;
  if (mapped) {
    // The default of a field in an own shape is a value of that.
    const value = given === undefined ? (defaultValue ?? undefined) : given;
    if (value === undefined && required) errors.add(loc, 'missing', 'Field required');
    const count = errors.list.length;
    for (const field of value === undefined ? [] : mapped) {
      if (errors.list.length === count) assign(variables, field, field.reader.read(value, loc, errors));
    }
  } else if (given !== undefined) variables[name] = reader.read(given, loc, errors);
  else if (required) errors.add(loc, 'missing', 'Field required');
  else if (defaultValue !== undefined) variables[name] = defaultValue;
}

function assign(variables: Record<string, unknown>, { path }: MappedField, value: unknown): void {
  if (path) place(variables, path, value);
}

/** Finds the value of a parameter as it was sent; undefined where that means the same as absence. */
type Find = (request: FastifyRequest, query: Query, body: Fields | undefined) => unknown;

function compileFind(parameter: Parameter): Find {
  const { name, header, required } = parameter;
  if (parameter.in === 'path') return ({ params }) => (params as Fields)[name];
  if (parameter.in === 'query') return compileFindInQuery(parameter);
  if (header !== undefined) return ({ headers }) => headers[header.toLowerCase()];
  return (_request, _query, body) => {
    const value = body && Object.hasOwn(body, name) ? body[name] : undefined;
    return value === null && !required ? undefined : value;
  };
}

/**
 * The last of repeated parameters wins, as in FastAPI; those of a list are joined, as generated clients send them. `?customer_name=` and an
 * empty list set no condition; other types have no empty value.
 */
function compileFindInQuery({ name, type }: Parameter): Find {
  const isList = isListType(getNullableType(type));
  const hasEmpty = isList || ['String', 'ID'].includes(getNamedType(type).name);
  return (_request, query) => {
    const value = isList ? listValue(name, query) : query.findLast(([key]) => key === name)?.[1];
    return value === '' && hasEmpty ? undefined : value;
  };
}

function listValue(name: string, query: Query): string | undefined {
  const values = query.flatMap(([key, value]) => (isListKey(key, name) ? [value] : []));
  return values.length > 1 ? values.filter(Boolean).join(',') : values[0];
}

const withoutBrackets = (key: string) => key.replace(/\[\d*\]$/, '');

/** Whether a key of the query is that of a list: its name, `name[]` as axios and PHP write it, or `name[0]` and so on. */
function isListKey(key: string, name: string): boolean {
  return key.startsWith(name) && /^(?:\[\d*\])?$/.test(key.slice(name.length));
}

/** Buffers bodies of any media type up to a limit; `readBody` rejects those that are not JSON. */
export function acceptBodies(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, bytes, done) => done(null, bytes));
}

/**
 * The JSON value of the body; undefined without one. A body without Content-Type is read as JSON. Releases the bytes, so that they can
 * be collected while the request is in progress.
 */
async function readBody(request: FastifyRequest): Promise<unknown> {
  const { body, headers } = request;
  request.body = undefined;
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  if (!isJson(headers['content-type']) || !isIdentity(headers['content-encoding'])) throw unsupportedMediaType();
  return parseBody(body);
}

const jsonType = /^application\/(?:[\w.-]+\+)?json$/i;
const utf8Charset = /^charset="?utf-?8"?$/i;

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const [type = '', ...parameters] = contentType.split(';').map(part => part.trim());
  const charsets = parameters.filter(parameter => /^charset=/i.test(parameter));
  return jsonType.test(type) && charsets.every(charset => utf8Charset.test(charset));
}

const isIdentity = (contentEncoding: string | undefined) =>
  (contentEncoding ?? 'identity').toLowerCase() === 'identity';

const maxNesting = 100;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body. Invalid JSON is 422 at the position where parsing stopped, as in FastAPI. */
export async function parseBody(bytes: Buffer): Promise<unknown> {
  const text = decode(bytes);
  try {
    return await parseUntrustedJson(text, maxNesting);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw invalidJson(error.position, `JSON decode error, ${error.problem}`);
    // At the position that FastAPI reports, which is not V8's.
    throw error instanceof JsonSyntaxError ? invalidJson(error.position, 'JSON decode error') : error;
  }
}

function invalidJson(position: number, msg: string): HttpError {
  const error: RequestError = { loc: ['body', position], msg, type: 'json_invalid' };
  return unprocessable([error]);
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidJson(bytes.toString('utf8').indexOf('\uFFFD'), 'JSON decode error, not UTF-8');
  }
}
