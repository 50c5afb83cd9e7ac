import type { Operations } from '../src/generated/web.ts';
import { KeyRejected, type ResponseError, toRequestError, Unreachable } from './errors.ts';
import { readKey } from './key.ts';

/** A connection that was cut may stay silent for minutes. */
const timeoutMs = 15_000;

/** Also from a worker, whose base is its own file. */
const endpoint = new URL('../graphql', import.meta.url);

/** Operations of a file by name, each with the fragments that it uses: the server splits the file. */
type Documents = Readonly<Record<string, string>>;

interface RequestOptions {
  /** Another key than that of the tab. */
  readonly key?: string;
  /** Ends the request, instead of the time limit. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a file of operations, with the types that codegen generates from it. The file is loaded at once, so that its operations can be
 * sent when the network has been cut since.
 */
export function openOperations(file: URL) {
  let loading: Promise<Documents> | undefined;
  const load = () => {
    loading ??= loadOperations(file);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  load().catch(() => {});

  const payloadOf = async <Variables>(name: string, variables: Variables) => {
    const query = (await load())[name];
    if (query === undefined) throw new Error(`${file.pathname} has no operation ${name}`);
    return { query, operationName: name, variables };
  };
  return {
    payloadOf,
    operation<Name extends keyof Operations>(name: Name) {
      return async (
        variables: Operations[Name]['variables'],
        options: RequestOptions = {},
      ): Promise<Operations[Name]['data']> => execute(await payloadOf(name, variables), options);
    },
  };
}

async function loadOperations(file: URL): Promise<Documents> {
  const response = await send(file);
  if (!response.ok) throw new Unreachable(`The server responded with ${response.status} for ${file.pathname}.`);
  return response.json();
}

async function execute<Data>(payload: object, { key = readKey(), signal }: RequestOptions): Promise<Data> {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new KeyRejected('This is not a key: keys are letters, digits, “_” and “-”.');
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key };
  const response = await send(endpoint, { method: 'POST', headers, body: JSON.stringify(payload), signal });
  const { data, errors } = await parse<Data>(response);
  if (errors) throw toRequestError(errors);
  if (!data) throw new Unreachable(`The server responded with ${response.status} and no data.`);
  return data;
}

interface GraphqlResponse<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly ResponseError[];
}

async function parse<Data>(response: Response): Promise<GraphqlResponse<Data>> {
  try {
    return await response.json();
  } catch (cause) {
    throw new Unreachable(`The server responded with ${response.status}, and not in JSON.`, { cause });
  }
}

async function send(
  target: string | URL,
  {
    signal = AbortSignal.timeout(timeoutMs),
    ...init
  }: Omit<RequestInit, 'signal'> & { signal?: AbortSignal | undefined } = {},
): Promise<Response> {
  try {
    return await fetch(target, { ...init, signal });
  } catch (cause) {
    throw new Unreachable(undefined, { cause });
  }
}
