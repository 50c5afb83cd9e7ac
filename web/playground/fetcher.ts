import { createClient, type GraphiQLProps, parse } from './graphiql.ts';

type Fetcher = GraphiQLProps['fetcher'];
type Parameters = globalThis.Parameters<Fetcher>[0];

/** What a run took. */
export interface Run {
  readonly status: number;
  readonly milliseconds: number;
  /** Of the body, decompressed. */
  readonly bytes: number;
  /** Absent where the server could not tell, for instance for a syntax error. */
  readonly cost: number | undefined;
}

/**
 * Creates the function that GraphiQL sends operations with. It returns an observable, so that Stop, and opening another tab,
 * abort the request. A query or mutation has one result, a subscription one for each event.
 */
export function createFetcher(onRun: (run: Run | undefined) => void): Fetcher {
  return (given, options) => ({
    subscribe(observer) {
      if (typeof observer !== 'object') throw new TypeError('GraphiQL subscribes with an observer');
      const controller = new AbortController();
      const operation = findOperation(given);
      const parameters = operation ? { ...given, operationName: operation.name?.value ?? null } : given;
      const isIntrospection = parameters.operationName === 'IntrospectionQuery';
      // The schema is the same for every key: a wrong one must not take documentation and completion away.
      const headers = isIntrospection ? {} : { ...options?.headers, 'x-carte-cost': 'header' };
      if (!isIntrospection) onRun(undefined);
      if (operation?.operation === 'subscription') {
        return { unsubscribe: watch(parameters, { ...options?.headers }, observer) };
      }
      send(parameters, headers, controller.signal)
        .then(({ result, run }) => {
          if (!isIntrospection) onRun(run);
          observer.next(result);
          observer.complete();
        })
        .catch((error: Error) => {
          // Not the error itself, whose stack GraphiQL would show.
          if (!controller.signal.aborted) observer.error({ message: `The server did not respond: ${error.message}` });
        });
      return { unsubscribe: () => controller.abort() };
    },
  });
}

/** Tests whether HTTP allows a header; `fetch` would throw an error that names neither the header nor the rule. */
function isSendable(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

const describeUnsendable = (name: string) =>
  `The header "${name}" cannot be sent: ${
    name.toLowerCase() === 'x-api-key'
      ? 'this is not a key; keys are letters, digits, "_" and "-".'
      : 'names are letters, digits and "-", values have no line breaks and no characters beyond Latin-1.'
  }`;

/**
 * Finds the operation to run, unless the text has a syntax error. GraphiQL reads the names of operations a moment after the text
 * has changed, and until then passes that of the tab before: a name counts only where there are several operations.
 */
function findOperation({ query, operationName }: Parameters) {
  try {
    const operations = parse(query).definitions.filter(node => node.kind === 'OperationDefinition');
    return operations.length > 1 ? operations.find(({ name }) => name?.value === operationName) : operations[0];
  } catch {
    return undefined;
  }
}

interface Observer {
  next(result: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

const maxEvents = 100;

/** Lists the events of a subscription as they come, the last first; returns the function that ends it. */
function watch(parameters: Parameters, headers: Readonly<Record<string, string>>, observer: Observer): () => void {
  const client = createClient({ url: 'graphql', headers, retryAttempts: 0 });
  const { query, operationName, variables } = parameters;
  let events: readonly unknown[] = [];
  return client.subscribe(
    { query, ...(operationName && { operationName }), ...(variables && { variables }) },
    {
      next(result) {
        events = [result, ...events].slice(0, maxEvents);
        // Not the list itself, which GraphiQL would take for parts of one result.
        observer.next({ events });
      },
      error: error =>
        observer.error({ message: `The stream has ended: ${error instanceof Error ? error.message : error}` }),
      complete: () => observer.complete(),
    },
  );
}

async function send(parameters: Parameters, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  const unsendable = Object.keys(headers).find(name => !isSendable(name, headers[name] ?? ''));
  if (unsendable !== undefined) {
    return { result: { errors: [{ message: describeUnsendable(unsendable) }] }, run: undefined };
  }
  const start = performance.now();
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { accept: 'application/json', ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
    signal,
  });
  const text = await response.text();
  const milliseconds = performance.now() - start;
  const cost = response.headers.get('x-carte-cost');
  const run: Run = {
    status: response.status,
    milliseconds,
    bytes: new Blob([text]).size,
    cost: cost === null ? undefined : Number(cost),
  };
  return { result: parseResult(response, text), run };
}

function parseResult({ status, statusText }: Response, text: string) {
  try {
    return JSON.parse(text);
  } catch {
    const message = `The response is not JSON (HTTP ${status} ${statusText}): ${text.slice(0, 200)}`;
    return { errors: [{ message }] };
  }
}
