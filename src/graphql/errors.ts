import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import { Conflict, Forbidden, InvalidInput, Refused, Unauthenticated } from '../errors.ts';

const internal = 'INTERNAL_SERVER_ERROR';

/** What a caller may read of an error: a refusal in full, a fault of ours not at all. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof InvalidInput) {
    return { ...formatted, extensions: { code: 'BAD_USER_INPUT', faults: original.faults } };
  }
  if (original instanceof Refused) return { ...formatted, extensions: { code: codeOf(original) } };
  if (isInternal(formatted)) return { ...formatted, message: 'Internal server error', extensions: { code: internal } };
  return formatted;
}

export function isInternal(error: GraphQLFormattedError): boolean {
  return error.extensions?.code === internal;
}

function codeOf(refusal: Refused): string {
  if (refusal instanceof Unauthenticated) return 'UNAUTHENTICATED';
  if (refusal instanceof Forbidden) return 'FORBIDDEN';
  if (refusal instanceof Conflict) return 'CONFLICT';
  return 'REFUSED';
}
