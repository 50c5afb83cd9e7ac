/** Something that went wrong, in words for the reader. */
export class Refusal extends Error {}

/** The key is missing or not accepted. */
export class KeyRefusal extends Refusal {}

/** The server is away or in trouble, and the same may succeed in a moment. */
export class Outage extends Refusal {}

export interface Connection {
  readonly key: string;
  readonly signal: AbortSignal;
}

interface Answer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** The operation in a file of this folder, with the types that codegen wrote for it. */
export function operation<Result, Variables>(file: string) {
  let text: Promise<string> | undefined;
  return async (variables: Variables, connection: Connection): Promise<Result> => {
    text ??= readText(file);
    const query = await text.catch(error => {
      text = undefined;
      throw error;
    });
    return ask<Result>({ query, variables }, connection);
  };
}

async function readText(file: string): Promise<string> {
  const response = await reach(fetch(new URL(file, import.meta.url)));
  if (!response.ok) throw new Outage(`The server answered ${response.status} for ${file}.`);
  return response.text();
}

async function ask<Result>(body: object, { key, signal }: Connection): Promise<Result> {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new KeyRefusal('This is no key: keys are plain letters, digits, "_" and "-".');
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await reach(fetch('graphql', { method: 'POST', headers, body: JSON.stringify(body), signal }));
  const { data, errors = [] } = await readAnswer<Result>(response);
  const told = errors.map(({ message }) => message).join(' ');
  if (response.status === 401) throw new KeyRefusal(`The key is not accepted. ${told}`);
  if (response.status >= 500 || response.status === 429)
    throw new Outage(told || `The server answered ${response.status}.`);
  if (errors.length > 0) throw new Refusal(told);
  if (!data) throw new Refusal(`The server answered ${response.status} without data.`);
  return data;
}

async function readAnswer<Result>(response: Response): Promise<Answer<Result>> {
  try {
    return await response.json();
  } catch (cause) {
    throw new Outage(`The server answered ${response.status}, and not in JSON.`, { cause });
  }
}

async function reach(request: Promise<Response>): Promise<Response> {
  try {
    return await request;
  } catch (cause) {
    throw new Outage('The server cannot be reached. Is it running, and is there a network?', { cause });
  }
}
