import { createClient, type RequestParams } from 'graphql-sse';
import { readKey } from '../key.ts';
import { type ResponseError, toRequestError, Unreachable } from './errors.ts';

const url = 'graphql';
/** A connection that was cut may stay silent for minutes. */
const timeoutMs = 15_000;

const streams = createClient({
  url,
  headers: () => ({ 'x-api-key': readKey() }),
  // Whoever reads a stream opens it again, with what it missed.
  retryAttempts: 0,
});

export interface StreamOptions<Data> {
  readonly signal: AbortSignal;
  readonly onData: (data: Data) => void;
}

/**
 * Opens a file of operations, with the types that codegen generates from it. The file is loaded at once, so that its operations can be
 * sent when the network has been cut since.
 */
export function openOperations(file: URL) {
  let loading: Promise<ReadonlyMap<string, string>> | undefined;
  const load = () => {
    loading ??= loadDefinitions(file);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  load().catch(() => {});

  return {
    operation<Data, Variables extends object>(name: string) {
      return async (variables: Variables): Promise<Data> =>
        execute({ query: select(await load(), name), operationName: name, variables });
    },
    /** Resolves when the stream ends by the signal or by the server, and rejects when it fails. */
    subscription<Data, Variables extends object>(name: string) {
      return async (variables: Variables, { signal, onData }: StreamOptions<Data>): Promise<void> => {
        const request = { query: select(await load(), name), operationName: name, variables } as RequestParams;
        await new Promise<void>((resolve, reject) => {
          const close = streams.subscribe<Data>(request, {
            next({ data, errors }) {
              if (data) onData(data);
              if (errors) reject(toRequestError(errors as readonly ResponseError[]));
            },
            error: cause => reject(new Unreachable(undefined, { cause })),
            complete: resolve,
          });
          signal.addEventListener('abort', () => {
            close();
            resolve();
          });
        });
      };
    },
  };
}

async function loadDefinitions(file: URL): Promise<ReadonlyMap<string, string>> {
  const response = await send(file);
  if (!response.ok) throw new Unreachable(`The server responded with ${response.status} for ${file.pathname}.`);
  // As Biome formats them, a definition ends at the first brace that starts a line.
  const definitions = (await response.text()).matchAll(/^(?:query|mutation|subscription|fragment) (\w+)[\s\S]*?^}/gm);
  return new Map([...definitions].map(([text, name = '']) => [name, text]));
}

/** Takes an operation from a file, with the fragments that it uses. */
function select(definitions: ReadonlyMap<string, string>, name: string): string {
  const selected = new Set<string>();
  const add = (definitionName: string) => {
    const text = definitions.get(definitionName);
    if (text === undefined) throw new Error(`There is no operation or fragment ${definitionName}`);
    if (selected.has(text)) return;
    selected.add(text);
    for (const [, fragment = ''] of text.matchAll(/\.\.\.(?!on\b)(\w+)/g)) add(fragment);
  };
  add(name);
  return [...selected].join('\n');
}

async function execute<Data>(body: object): Promise<Data> {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': readKey() };
  const response = await send(url, { method: 'POST', headers, body: JSON.stringify(body) });
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

async function send(target: string | URL, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(target, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    throw new Unreachable(undefined, { cause });
  }
}
