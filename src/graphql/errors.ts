import { unwrapResolverError } from '@apollo/server/errors';
import {
  ClientError,
  Conflict,
  Forbidden,
  InvalidInput,
  ResponseTooLarge,
  StreamCut,
  TooCostly,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
} from '@carte/base/errors';
import { toHttpError as toRouteError } from '@carte/operations/errors';
import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type SourceLocation,
} from 'graphql';
import { hasToken } from '../order/guest-tokens.ts';
import { responseTooLarge } from './response-limit.ts';

const internalCode = 'INTERNAL_SERVER_ERROR';
const internalMessage = 'Internal server error';

/** Translates an error of a library to a client error, e.g. a lost connection to `Unavailable`; undefined for a bug. */
export type TranslateError = (error: unknown) => ClientError | undefined;

/** Returns the client error behind an error of a resolver; undefined for a bug. */
export function findClientError(error: unknown, translateError: TranslateError): ClientError | undefined {
  const original = unwrapResolverError(error);
  if (original instanceof ClientError) return original;
  // graphql-js finds only when it executes that a variable is null in an argument that must not be, of a field or of `@skip`.
  const [, argument] = (original instanceof GraphQLError && /^Argument "(\w+)" /.exec(original.message)) || [];
  if (argument === undefined) return translateError(original);
  return new InvalidInput([{ path: [argument], type: 'value_error', message: (original as Error).message }]);
}

/** Formats client errors with their code and masks internal ones. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  translateError: TranslateError,
): GraphQLFormattedError {
  const clientError = findClientError(error, translateError);
  return withoutTokens(formatWith(clientError, formatted, error));
}

/** Redacts tokens of guests: pages report errors to services that log them. */
export function withoutTokens<Errors extends object>(errors: Errors): Errors {
  return hasToken(errors)
    ? JSON.parse(JSON.stringify(errors).replaceAll(/carte_guest_[\w-]*/g, 'carte_guest_…'))
    : errors;
}

function formatWith(
  clientError: ClientError | undefined,
  formatted: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const locations = formatted.locations ?? (error instanceof GraphQLError ? locationsOf(error.nodes) : undefined);
  const located = locations ? { ...formatted, locations } : formatted;
  if (clientError) {
    const errors = clientError instanceof InvalidInput ? { errors: clientError.errors } : {};
    return { ...located, message: clientError.message, extensions: { code: codeOf(clientError), ...errors } };
  }
  return isInternal(located) ? { ...located, message: internalMessage, extensions: { code: internalCode } } : located;
}

/** Formats the errors of an execution without Apollo, in the same way. */
export type FormatErrors = (errors: readonly GraphQLError[]) => GraphQLFormattedError[];

export function createFormatErrors(translateError: TranslateError, onInternal: (error: unknown) => void): FormatErrors {
  return errors =>
    errors.map(error => {
      // Without an original error it is an error of the request, e.g. a missing variable.
      const code = error.extensions.code ?? (error.originalError ? internalCode : 'BAD_USER_INPUT');
      const given = { ...locate(error).toJSON(), extensions: { ...error.extensions, code } };
      const formatted = formatError(given, error.originalError ?? error, translateError);
      if (isInternal(formatted)) onInternal(error.originalError ?? error);
      return formatted;
    });
}

export function isInternal(error: GraphQLFormattedError): boolean {
  return error.extensions?.code === internalCode;
}

/** Maps an error outside of execution, e.g. of authentication or of the body parser, to an HTTP response. */
export function toHttpError(error: Error & { readonly statusCode?: number }) {
  const known = toRouteError(error);
  const { status, headers } = known ?? { status: error.statusCode ?? 500, headers: {} };
  const isInternalError = !known && status >= 500;
  const code = error instanceof ClientError ? codeOf(error) : 'BAD_REQUEST';
  return isInternalError
    ? { status, headers, code: internalCode, message: internalMessage }
    : { status, headers, code, message: error.message };
}

function codeOf(error: ClientError): string {
  if (error instanceof Unauthenticated) return 'UNAUTHENTICATED';
  if (error instanceof Forbidden) return 'FORBIDDEN';
  if (error instanceof Conflict) return 'CONFLICT';
  if (error instanceof Unavailable) return 'UNAVAILABLE';
  if (error instanceof TooManyRequests) return 'TOO_MANY_REQUESTS';
  if (error instanceof StreamCut) return 'STREAM_CUT';
  if (error instanceof TooCostly) return 'QUERY_TOO_COMPLEX';
  if (error instanceof ResponseTooLarge) return responseTooLarge;
  return 'BAD_USER_INPUT';
}

/** On the nodes themselves: a weak map of some thousand nodes costs more than the parser. */
const location = Symbol('location');

/**
 * Takes the locations of a parsed document out of its nodes. graphql-js would count the lines of the whole text again for each node of each error;
 * `locate` looks the location up instead. The tokens of the text, which locations refer to, can be collected.
 */
export function detachLocations(document: DocumentNode): DocumentNode {
  const pending: unknown[] = [document];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) for (const element of value) pending.push(element);
    else if (isNode(value)) {
      if (value.loc) {
        const { line, column } = value.loc.startToken;
        Object.assign(value, { loc: undefined, [location]: { line, column } });
      }
      for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
  return document;
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'kind' in value;

/** Gives an error the locations of its nodes. */
export function locate(error: GraphQLError): GraphQLError {
  return error.locations ? error : Object.assign(error, { locations: locationsOf(error.nodes) });
}

/** Undefined where none is known, as for an error without nodes. */
function locationsOf(nodes: readonly ASTNode[] | undefined): readonly SourceLocation[] | undefined {
  const found = nodes
    ?.map(node => (node as { readonly [location]?: SourceLocation })[location])
    .filter(location => location !== undefined);
  return found && found.length > 0 ? found : undefined;
}
