import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, createAsset, immutable, sendAsset } from '../cache/asset.ts';
import { examples, placeholders } from './playground-examples.ts';

interface Playground {
  readonly page: Asset;
  /** Scripts and styles by file name. */
  readonly files: ReadonlyMap<string, Asset>;
}

/** GraphiQL creates its workers from blobs; everything else comes from this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' blob:",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Registers the files of the playground, and returns a function that sends its page. */
export function mountPlayground(app: FastifyInstance) {
  let rendered: Promise<Playground> | undefined;
  const playground = () => {
    rendered ??= renderPlayground();
    return rendered;
  };
  app.get<{ Params: { hash: string; name: string } }>('/graphql/:hash/:name', async (request, reply) => {
    const { hash, name } = request.params;
    const file = (await playground()).files.get(name);
    return file?.hash === hash ? sendAsset(file, request, reply, immutable) : reply.callNotFound();
  });
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { page } = await playground();
    return sendAsset(page, request, reply.header('content-security-policy', contentSecurityPolicy));
  };
}

/** Renders GraphiQL without a CDN. It is 9 MB, so it is imported on the first request. */
export async function renderPlayground(): Promise<Playground> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  // The package inlines everything in one page, which no browser could cache by parts.
  const whole = renderGraphiQL({});
  const style = between(whole, '<style>', '</style>');
  const script = between(whole, '<script>', 'YogaGraphiQL.renderYogaGraphiQL(\n');
  const scriptType = 'text/javascript; charset=utf-8';
  const files = new Map([
    ['graphiql.css', createAsset('text/css; charset=utf-8', style)],
    ['graphiql.js', createAsset(scriptType, script)],
    ['start.js', createAsset(scriptType, renderStartScript())],
  ]);
  return { page: createAsset('text/html; charset=utf-8', renderPage(files)), files };
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = text.lastIndexOf(end);
  if (from === -1 || to <= from) throw new Error(`The page of GraphiQL has no ${start} … ${end}`);
  return text.slice(from + start.length, to);
}

function renderPage(files: ReadonlyMap<string, Asset>): string {
  const url = (name: string) => `graphql/${files.get(name)?.hash}/${name}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Carte playground</title>
    <link rel="icon" type="image/svg+xml" href="web/icon.svg">
    <link rel="stylesheet" href="${url('graphiql.css')}">
    <link rel="stylesheet" href="web/playground/playground.css">
  </head>
  <body id="body" class="no-focus-outline">
    <div id="root"></div>
    <script src="${url('graphiql.js')}"></script>
    <script src="${url('start.js')}"></script>
  </body>
</html>
`;
}

/**
 * Renders the script that starts GraphiQL. It works around three traits of GraphiQL: headers are stored per tab, so the key is
 * shared by way of session storage (as `/` and `/menu` do); the wrapper writes each query into the URL, where a reload would
 * send it to the endpoint; and the variables of the first tab get lost.
 */
function renderStartScript(): string {
  return `const now = new Date();
const placeholders = {
  ${placeholders.now}: now.toISOString(),
  ${placeholders.startOfToday}: new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString(),
};
const fill = text => text.replace(/"(CARTE_\\w+)"/g, (_, name) => JSON.stringify(placeholders[name]));
const options = ${toJson(graphiqlOptions())};
for (const tab of options.defaultTabs) tab.variables = fill(tab.variables);
if (!localStorage.getItem('graphiql:tabState')) {
  localStorage.setItem('graphiql:variables', options.defaultTabs[0].variables);
}
const send = window.fetch;
window.fetch = (url, options = {}) => {
  const headers = new Headers(options.headers);
  const key = headers.get('x-api-key') || sessionStorage.getItem('carte.key') || '';
  sessionStorage.setItem('carte.key', key);
  headers.set('x-api-key', key);
  return send(url, { ...options, headers });
};
history.replaceState = () => {};
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), options);
`;
}

const logo = `<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect x="5" y="2" width="22" height="28" rx="3"
fill="#8a2f3c"/><path d="M20.5 12.2a5.6 5.6 0 1 0 0 7.6" fill="none" stroke="#fff" stroke-width="2.6"/></svg>`;

function graphiqlOptions() {
  const headers = toJson({ 'x-api-key': '' });
  return {
    title: 'Carte playground',
    logo,
    endpoint: '/graphql',
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables: toJson(variables), headers })),
    headers,
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: 'headers',
  };
}

const toJson = (value: object): string => JSON.stringify(value, null, 2);
