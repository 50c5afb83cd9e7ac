export const url = `${import.meta.env.VITE_CARTE_URL ?? 'http://127.0.0.1:4000'}/graphql`;
export const key = import.meta.env.VITE_CARTE_KEY ?? '';
export const storeId = import.meta.env.VITE_CARTE_STORE ?? 'lisbon-baixa';

/** How guests of this store get their orders, the usual way first. */
export const serviceTypes = (import.meta.env.VITE_CARTE_SERVICES ?? 'PICKUP,DINE_IN,DELIVERY').split(',');

/** A reason why an order is refused. */
export interface Problem {
  /** E.g. `['input', 'lines', '0', 'itemExternalId']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly code: string;
}

/** The service has refused the input: nothing was done. After any other error, it is not known what was done. */
export class Refused extends Error {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[]) {
    super(message);
    this.problems = problems;
  }
}

interface GraphqlResponse<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: {
      readonly code?: string;
      readonly errors?: readonly (Omit<Problem, 'code'> & { type: string })[];
    };
  }[];
}

const timeoutMs = 15_000;

/** Reads by GET, with the key in the URL: a cache in front of the service may have the response, and a browser sends no preflight. */
export const read = <Data>(query: string, variables: object): Promise<Data> =>
  send(`${url}?${new URLSearchParams({ query, variables: JSON.stringify(variables), key })}`, {
    // The browser's own copy may be old: it has to be confirmed.
    cache: 'no-cache',
  });

export const request = <Data>(query: string, variables: object, signal?: AbortSignal): Promise<Data> =>
  send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables }),
    signal,
  });

async function send<Data>(to: string, { signal, ...init }: RequestInit): Promise<Data> {
  const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const response = await fetch(to, { ...init, signal: ended }).catch(cause => {
    throw new Error(navigator.onLine ? 'We cannot be reached just now.' : 'Are you online? We cannot be reached.', {
      cause,
    });
  });
  // That of a proxy, say, is none of the service.
  const result: Promise<GraphqlResponse<Data>> = response.json();
  const failed = `The service responded with ${response.status}.`;
  const { data, errors: [error] = [] } = await result.catch(cause => {
    throw new Error(failed, { cause });
  });
  if (error?.extensions?.code === 'BAD_USER_INPUT') {
    const problems = (error.extensions.errors ?? []).map(({ type, ...rest }) => ({
      ...rest,
      code: type.toUpperCase(),
    }));
    throw new Refused(error.message, problems);
  }
  if (error?.extensions?.code === 'TOO_MANY_REQUESTS')
    throw new Error('There are too many orders just now. Please try again in a minute.');
  if (error || !data) throw new Error(error?.message ?? failed);
  return data;
}
