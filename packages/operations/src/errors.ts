import {
  type CheckPartialInput,
  Conflict,
  Forbidden,
  InvalidInput,
  ResponseTooLarge,
  RetryableError,
  TooCostly,
  TooManyRequests,
  Unauthenticated,
  type ValidationError,
} from '@carte/base/errors';
import type { ErrorPath, RequestError } from '@carte/base/validation';
import { type FieldNode, Kind, type ValueNode } from 'graphql';
import type { BodyOperation, Operation } from './contract/contract.ts';
import type { Variables } from './execution/compile.ts';
import { fieldsAlong } from './execution/selected-fields.ts';
import { locIn } from './input/mapped.ts';
import { toSnakePath } from './input/names.ts';

/** An error response of a route: a status, and the body `{"detail": …}`. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: string | readonly RequestError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly RequestError[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : 'The request has errors');
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

export const unprocessable = (errors: readonly RequestError[]): HttpError => new HttpError(422, errors);

export const unsupportedMediaType = (): HttpError =>
  new HttpError(415, 'The body must be JSON in UTF-8, with Content-Type: application/json.');

/**
 * Translates a client error to its response; undefined for a bug, of which the caller learns nothing. A conflict of a conditional request
 * is the failure of its precondition.
 */
export function toHttpError(error: unknown, isConditional = false): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof Unauthenticated) return new HttpError(401, error.message, { 'www-authenticate': 'ApiKey' });
  if (error instanceof Forbidden) return new HttpError(403, error.message);
  if (error instanceof Conflict) return new HttpError(isConditional ? 412 : 409, error.message);
  if (error instanceof RetryableError) {
    const status = error instanceof TooManyRequests ? 429 : 503;
    return new HttpError(status, error.message, { 'retry-after': String(error.retryAfterSeconds) });
  }
  return fromFastifyError(error);
}

/** Fastify's errors about bodies that it does not read to the end. */
function fromFastifyError(error: Error): HttpError | undefined {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new HttpError(413, 'The body is larger than this service accepts.');
  if (status === 415) return unsupportedMediaType();
  return typeof status === 'number' && status >= 400 && status < 500 ? new HttpError(status, error.message) : undefined;
}

/** Writes a message of the graph in the values of callers. */
type ToMessage = (message: string) => string;

/** Translates an error of the field at these keys that is about the request to 422, or to 410 for an old cursor; others stay as they are. */
export function translateInvalidInput(
  operation: BodyOperation,
  keys: readonly string[],
  error: unknown,
  toMessage: ToMessage,
): unknown {
  if (error instanceof Conflict) return new Conflict(toMessage(error.message), { cause: error });
  if (error instanceof TooCostly || error instanceof ResponseTooLarge) return tooMuch(operation, error.message);
  if (!(error instanceof InvalidInput)) return error;
  if (error.errors.every(({ type }) => type === 'cursor_expired')) return new HttpError(410, error.message);
  return unprocessable(error.errors.map(issue => toRequestError(operation, keys, issue, toMessage)));
}

/** The 422 of a request for more than an operation may load. */
export const tooMuch = (operation: BodyOperation, message: string): HttpError =>
  unprocessable([{ loc: unknownLoc(operation), msg: message, type: 'too_costly' }]);

/** Compiles the domain's check of arguments of which not all could be read, so that one 422 reports every error. */
export function compilePartialCheck(
  operation: Operation,
  toMessage: ToMessage,
): (variables: Variables) => Promise<RequestError[]> {
  const { checkPart }: { readonly checkPart?: CheckPartialInput } = operation.rootField.extensions;
  const [root] = fieldsAlong(operation.document, operation.name, operation.bodyPath);
  if (!checkPart || !root) return async () => [];
  return async variables => {
    const errors = await checkPart(argumentsOf(root.node, variables));
    return errors.map(issue => toRequestError(operation, [root.key], issue, toMessage));
  };
}

/** What every message of this type of Pydantic begins with. */
const valueError = 'Value error, ';

function toRequestError(
  operation: BodyOperation,
  keys: readonly string[],
  { path, message: given, type }: ValidationError,
  toMessage: ToMessage,
): RequestError {
  const message = toMessage(given);
  const msg = type === 'value_error' && !message.startsWith(valueError) ? `${valueError}${message}` : message;
  return { loc: locOf(operation, keys, path), msg, type };
}

/**
 * The `loc` of an error in a request. The domain reports a path into the arguments of its field; the operation maps arguments to
 * parameters.
 */
export function locOf(operation: BodyOperation, keys: readonly string[], path: ErrorPath): ErrorPath {
  const [name, ...below] = path;
  const field = fieldsAlong(operation.document, operation.name, keys).at(-1)?.node;
  const argument = field?.arguments?.find(candidate => candidate.name.value === name);
  return argument ? locInValue(operation, argument.value, below) : unknownLoc(operation);
}

/** The `loc` of an error about an argument that no parameter sets. */
const unknownLoc = ({ parameters }: BodyOperation): ErrorPath =>
  parameters.some(parameter => parameter.in === 'body') ? ['body'] : ['query'];

function locInValue(operation: BodyOperation, value: ValueNode, path: ErrorPath): ErrorPath {
  if (value.kind === Kind.VARIABLE) return locOfVariable(operation, value.name.value, path);
  const [key, ...below] = path;
  const field = value.kind === Kind.OBJECT ? value.fields.find(({ name }) => name.value === key) : undefined;
  if (field) return locInValue(operation, field.value, below);
  return unknownLoc(operation);
}

function locOfVariable(operation: BodyOperation, name: string, path: ErrorPath): ErrorPath {
  const parameter = operation.parameters.find(candidate => !candidate.mapped && candidate.name === name);
  const fields = operation.parameters.flatMap(({ mapped }) => mapped ?? []);
  const loc = parameter ? undefined : locIn(fields, [name, ...path]);
  if (loc) return ['body', ...loc];
  if (!parameter) return unknownLoc(operation);
  return [...parameter.loc, ...toSnakePath(parameter.type, path)];
}

function argumentsOf({ arguments: nodes = [] }: FieldNode, variables: Variables): Record<string, unknown> {
  return Object.fromEntries(nodes.map(({ name, value }) => [name.value, readValue(value, variables)]));
}

/** Supports what arguments of operations are: variables, and objects of them, which omit absent variables. */
function readValue(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  if (node.kind !== Kind.OBJECT) return undefined;
  const present = node.fields.filter(
    ({ value }) => value.kind !== Kind.VARIABLE || Object.hasOwn(variables, value.name.value),
  );
  return Object.fromEntries(present.map(({ name, value }) => [name.value, readValue(value, variables)]));
}
