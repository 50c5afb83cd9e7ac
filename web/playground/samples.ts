/** A route, as the preview of an operation describes it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly header?: string | undefined }[];
}

type Variables = Readonly<Record<string, unknown>>;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The key stays in the tab: samples are copied elsewhere. */
const key = 'KEY';

/** The request of a route in the words of three clients, with these variables. */
export function samplesOf(route: Route, variables: Variables, origin: string): Readonly<Record<string, string>> {
  const request = requestOf(route, variables, origin);
  return { curl: inCurl(request), fetch: inFetch(request), Python: inPython(request) };
}

function requestOf({ method, path, parameters }: Route, variables: Variables, origin: string): Request {
  const given = (place: string) =>
    parameters.filter(({ name, in: location }) => location === place && variables[name] !== undefined);
  const textOf = (name: string) => {
    const value = variables[name];
    return Array.isArray(value) ? value.join(',') : String(value ?? name.toUpperCase());
  };
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(textOf(name)));
  const query = new URLSearchParams(given('query').map(({ name }) => [name, textOf(name)])).toString();
  const body = given('body').map(({ name }) => [name, variables[name]] as const);
  const hasBody = parameters.some(parameter => parameter.in === 'body');
  return {
    method,
    url: `${origin}${filled}${query && `?${query}`}`,
    headers: {
      'x-api-key': key,
      ...Object.fromEntries(given('header').map(({ name, header = name }) => [header, textOf(name)])),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(body), null, 2) : undefined,
  };
}

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function inCurl({ method, url, headers, body }: Request): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${inShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inShell(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

function inFetch({ method, url, headers, body }: Request): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`]),
    `headers: ${JSON.stringify(headers)}`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${body})`]),
  ];
  return `const response = await fetch(${JSON.stringify(url)}, {\n  ${options.join(',\n  ')},\n});\nconst result = await response.json();`;
}

function inPython({ method, url, headers, body }: Request): string {
  const data = body === undefined ? [] : [`    data=${JSON.stringify(body)}.encode(),`];
  return [
    'import json, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    ...data,
    `    headers=${JSON.stringify(headers)},`,
    `    method=${JSON.stringify(method)},`,
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    result = json.load(response)',
  ].join('\n');
}
