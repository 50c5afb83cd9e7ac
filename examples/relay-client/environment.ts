import { Environment, type GraphQLResponse, Network, RecordSource, Store } from 'relay-runtime';

const url = process.env.CARTE_URL ?? 'http://127.0.0.1:4000';
const headers = { 'content-type': 'application/json', 'x-api-key': process.env.CARTE_KEY ?? '' };

interface Response<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** Sends an operation; throws if the response has errors. */
export async function post<Data>(body: object): Promise<Response<Data>> {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body), signal });
  const result = (await response.json()) as Response<Data>;
  const [error] = result.errors ?? [];
  if (error) throw new Error(error.message);
  return result;
}

/** The key of a record in Relay's store; records without one, such as phone numbers, get a key from their place. */
function getDataID({ nodeId }: Readonly<Record<string, unknown>>): string | null {
  return typeof nodeId === 'string' ? nodeId : null;
}

export function createEnvironment(): Environment {
  return new Environment({
    network: Network.create(async ({ text }, variables) => (await post({ query: text, variables })) as GraphQLResponse),
    store: new Store(new RecordSource()),
    getDataID,
  });
}
