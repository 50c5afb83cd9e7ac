import { setTimeout as sleep } from 'node:timers/promises';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

interface InputError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Answer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly InputError[] };
  }[];
}

/** What the graph refused: `code` is for programs, the message for people. */
export class Refusal extends Error {
  readonly code: string;
  readonly errors: readonly InputError[];

  constructor(message: string, code: string, errors: readonly InputError[] = []) {
    super(message);
    this.code = code;
    this.errors = errors;
  }
}

/** Asked for again in a moment, these may succeed. */
const passing = new Set(['TOO_MANY_REQUESTS', 'UNAVAILABLE']);
const mostTries = 4;

/** A function that runs operations, with the types that codegen wrote for each. */
export function connect(url: string, key: string) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  return async <Result, Variables>(document: TypedDocumentNode<Result, Variables>, variables: Variables) => {
    const body = JSON.stringify({ query: print(document), variables });
    for (let tries = 1; ; tries++) {
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body, signal });
      const { data, errors: [error] = [] } = (await response.json()) as Answer<Result>;
      if (data && !error) return data;
      const { code = 'UNKNOWN', errors } = error?.extensions ?? {};
      if (!passing.has(code) || tries === mostTries) {
        throw new Refusal(error?.message ?? `The graph answered ${response.status} without data.`, code, errors);
      }
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
    }
  };
}
