import { definitionsIn, selectOperation } from '../definitions.ts';
import { readKey } from '../key.ts';
import { type ResponseError, toRequestError, Unreachable } from './errors.ts';
import { createStreams } from './streams/streams.ts';

const url = 'graphql';
/** A connection that was cut may stay silent for minutes. */
const timeoutMs = 15_000;

const openStreams = createStreams();

export interface StreamOptions<Data> {
  readonly signal: AbortSignal;
  /** The network was cut until this time, in ms. */
  readonly lostAt: number;
  /** Called when the stream is connected, with whether events after the cursor may have been missed. */
  readonly onOpen: (hasPassed: boolean) => void;
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
        execute({ query: selectOperation(await load(), name), operationName: name, variables });
    },
    /** Resolves when the stream ends, by the signal, by the server or since it failed. */
    subscription<Data, Variables extends Record<string, unknown>>(name: string) {
      return async (variables: Variables, options: StreamOptions<Data>): Promise<void> => {
        const { signal, lostAt, onOpen, onData } = options;
        const payload = { query: selectOperation(await load(), name), operationName: name, variables };
        const listen = await openStreams();
        if (signal.aborted) return;
        const request = { key: readKey(), url: new URL(url, document.baseURI).href, payload, lostAt };
        await new Promise<void>(resolve => {
          const stop = listen(request, {
            onOpen,
            onResult: ({ data }) => data && onData(data as Data),
            onEnd: resolve,
          });
          signal.addEventListener('abort', () => {
            stop();
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
  return definitionsIn(await response.text());
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
