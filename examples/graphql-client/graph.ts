import { setTimeout as sleep } from 'node:timers/promises';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

interface InputError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface GraphqlResponse<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly InputError[] };
  }[];
}

/** The first error of a response: `code` is for programs, the message for people. */
export class GraphqlRequestError extends Error {
  readonly code: string;
  readonly errors: readonly InputError[];

  constructor(message: string, code: string, errors: readonly InputError[] = []) {
    super(message);
    this.code = code;
    this.errors = errors;
  }
}

/** Codes after which a retry may succeed. */
const retryable = new Set(['TOO_MANY_REQUESTS', 'UNAVAILABLE']);
const maxAttempts = 4;

/** Creates a function that runs operations, typed by codegen, and retries them after `Retry-After`. */
export function connect(url: string, key: string) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  return async <Result, Variables>(document: TypedDocumentNode<Result, Variables>, variables: Variables) => {
    const body = JSON.stringify({ query: print(document), variables });
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body, signal });
      const { data, errors: [error] = [] } = (await response.json()) as GraphqlResponse<Result>;
      if (data && !error) return data;
      const { code = 'UNKNOWN', errors } = error?.extensions ?? {};
      if (!retryable.has(code) || attempt === maxAttempts) {
        const message = error?.message ?? `The response has status ${response.status} and no data.`;
        throw new GraphqlRequestError(message, code, errors);
      }
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
    }
  };
}
