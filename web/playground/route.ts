import { readKey } from '../key.ts';
import { createElement, Fragment, useEffect, useGraphiQL, useState } from './graphiql.ts';
import { type Route, samplesOf } from './samples.ts';

/** What `/openapi/preview` responds. */
interface Preview {
  readonly file?: { readonly name: string; readonly text: string };
  readonly errors: readonly string[];
  readonly route?: { readonly method: string; readonly path: string };
  readonly parameters?: Route['parameters'];
  readonly tool?: { readonly outputSchema: object };
}

const title = 'REST route and tool';

/** A panel that shows the current operation as a file of a set: the route and the tool that it would be. */
export const routePlugin = { title, icon: RouteIcon, content: RoutePanel };

function RouteIcon() {
  return createElement(
    'svg',
    { viewBox: '0 0 24 24', 'aria-hidden': true },
    createElement('path', {
      d: 'M5 6h9a4 4 0 0 1 0 8H9a3 3 0 0 0 0 6h10M5 6l3-3M5 6l3 3M19 20l-3-3M19 20l-3 3',
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: 1.5,
    }),
  );
}

function RoutePanel() {
  const { query, variables, operationName } = useGraphiQL(state => ({
    query: state.queryEditor,
    variables: state.variableEditor,
    operationName: state.operationName,
  }));
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const update = () => {
    void requestPreview(query?.getValue() ?? '', operationName).then(setPreview);
  };
  // Once the panel is open; then by the button, since each takes the server some time.
  useEffect(update, [query, operationName]);
  return createElement(
    'section',
    { className: 'route-panel', 'aria-label': title },
    createElement('h2', null, title),
    createElement('p', null, 'What this operation becomes as a file in a folder of CARTE_OPERATIONS.'),
    createElement('button', { type: 'button', className: 'graphiql-button', onClick: update }, 'Update'),
    preview && createElement(PreviewDetails, { preview, variables: parseVariables(variables?.getValue() ?? '') }),
  );
}

interface DetailsProps {
  readonly preview: Preview;
  readonly variables: Readonly<Record<string, unknown>>;
}

function PreviewDetails({ preview: { file, errors, route, parameters = [], tool }, variables }: DetailsProps) {
  const origin = new URL('.', location.href).href.replace(/\/$/, '');
  const samples = route ? Object.entries(samplesOf({ ...route, parameters }, variables, origin)) : [];
  const json = (value: object | undefined) => (value ? [JSON.stringify(value, null, 2)] : []);
  const blocks = [
    ...(file ? [[file.name, file.text] as const] : []),
    ...samples,
    ...json(tool?.outputSchema).map(text => ['Schema of the response', text] as const),
    ...json(tool).map(text => ['Tool, as the agent sees it', text] as const),
  ];
  return createElement(
    Fragment,
    null,
    errors.length > 0 &&
      createElement('ul', { role: 'alert' }, ...errors.map(error => createElement('li', { key: error }, error))),
    route && createElement('p', null, createElement('code', null, `${route.method} ${route.path}`)),
    file && createElement('a', { href: urlOf(file.text), download: file.name }, `Download ${file.name}`),
    ...blocks.map(([name, text], index) =>
      createElement(
        'details',
        { key: name, open: index === 0 },
        createElement('summary', null, name),
        createElement('pre', { tabIndex: 0 }, text),
      ),
    ),
  );
}

const urlOf = (text: string) => `data:application/graphql;charset=utf-8,${encodeURIComponent(text)}`;

async function requestPreview(query: string, operationName: string | undefined): Promise<Preview> {
  try {
    const response = await fetch('openapi/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': readKey() },
      body: JSON.stringify({ query, operationName }),
    });
    const body = await response.json();
    return response.ok ? body : { errors: [String(body.detail ?? `The server responded with ${response.status}.`)] };
  } catch (error) {
    return { errors: [error instanceof Error ? error.message : String(error)] };
  }
}

function parseVariables(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
