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

export async function request<Data>(query: string, variables: object, signal?: AbortSignal): Promise<Data> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const body = JSON.stringify({ query, variables });
  const response = await fetch(url, { method: 'POST', headers, body, signal: ended }).catch(cause => {
    throw new Error('We cannot be reached. Are you online?', { cause });
  });
  const { data, errors: [error] = [] }: GraphqlResponse<Data> = await response.json();
  if (error?.extensions?.code === 'BAD_USER_INPUT') {
    const problems = (error.extensions.errors ?? []).map(({ type, ...rest }) => ({
      ...rest,
      code: type.toUpperCase(),
    }));
    throw new Refused(error.message, problems);
  }
  if (error?.extensions?.code === 'TOO_MANY_REQUESTS')
    throw new Error('There are too many orders just now. Please try again in a minute.');
  if (error || !data) throw new Error(error?.message ?? `The service responded with ${response.status}.`);
  return data;
}
