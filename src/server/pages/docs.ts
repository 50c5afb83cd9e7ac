import Fastify, { type FastifyInstance } from 'fastify';
import { print } from 'graphql';
import type { Contract } from '../../rest/contract/contract.ts';
import { downgradeDocument } from '../../rest/openapi/downgrade.ts';
import { postmanCollection } from '../../rest/openapi/postman.ts';
import type { Json } from '../../rest/openapi/schemas.ts';
import { version } from '../../version.ts';
import { type Asset, contentSecurityPolicy, createAsset, immutable, lazyAsset, sendAsset, sendPage } from './asset.ts';
import { escapeHtml } from './html.ts';
import { renderOutline } from './outline.ts';

/** Scalar creates its styles by script. */
const policy = contentSecurityPolicy({ 'style-src': "'self' 'unsafe-inline'", 'img-src': "'self' data:" });

/** A set of operations and its OpenAPI document. */
interface DocumentedSet {
  readonly contract: Contract;
  readonly document: Json;
}

/** Serves the REST reference of each set at `/docs`, and their OpenAPI documents, also in version 3.0, and Postman collections. */
export function mountDocs(app: FastifyInstance, sets: readonly DocumentedSet[]): void {
  for (const [url, read] of sets.flatMap(documentsOf)) {
    const asset = lazyAsset('application/json', () => JSON.stringify(read()));
    app.get(url, (request, reply) => sendAsset(asset(), request, reply));
  }
  let loaded: Promise<Reference> | undefined;
  const reference = () => {
    loaded ??= loadReference(sets);
    return loaded;
  };
  app.get<{ Querystring: { set?: string } }>('/docs', async (request, reply) => {
    const { pages } = await reference();
    const page = pages.get(request.query.set ?? 'v1');
    return page ? sendPage({ page, policy }, request, reply) : reply.callNotFound();
  });
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 307));
  app.get<{ Params: { hash: string } }>('/docs/:hash/scalar.js', async (request, reply) => {
    const { script } = await reference();
    return script.hash === request.params.hash ? sendAsset(script, request, reply, immutable) : reply.callNotFound();
  });
}

function documentsOf({ contract, document }: DocumentedSet): [url: string, read: () => Json][] {
  const { name } = contract;
  // Those of the nine routes have a second, older address.
  const bases = [`/openapi/${name}`, ...(name === 'v1' ? ['/openapi'] : [])];
  return [
    ...bases.map((base): [string, () => Json] => [`${base}.json`, () => document]),
    ...bases.map((base): [string, () => Json] => [`${base}-3.0.json`, () => downgradeDocument(document)]),
    [`/openapi/${name}.postman.json`, () => postmanCollection(contract)],
    [`/openapi/${name}.operations.json`, () => operationsOf(contract)],
  ];
}

/** The operations as the playground opens them, by name. */
function operationsOf({ operations }: Contract): Json {
  return Object.fromEntries(
    operations.map(({ name, document, parameters }) => {
      const examples = parameters.flatMap(({ name: variable, example, in: place }) =>
        example === undefined || place === 'body' ? [] : [[variable, example]],
      );
      return [name, { query: print(document), variables: Object.fromEntries(examples) }];
    }),
  );
}

interface Reference {
  /** By the name of the set. */
  readonly pages: ReadonlyMap<string, Asset>;
  readonly script: Asset;
}

/** Loads Scalar, which is 4 MB, so on the first request. */
async function loadReference(sets: readonly DocumentedSet[]): Promise<Reference> {
  const [{ default: scalar }, { marked }] = await Promise.all([
    import('@scalar/fastify-api-reference'),
    import('marked'),
  ]);
  // The package exports a Fastify plugin only; the script is taken from the route that it registers.
  const plugin = Fastify();
  await plugin.register(scalar, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const response = await plugin.inject('/docs/js/scalar.js');
  await plugin.close();
  if (response.statusCode !== 200) throw new Error('@scalar/fastify-api-reference has no route /js/scalar.js');
  const script = createAsset('text/javascript; charset=utf-8', response.rawPayload);
  const pages = sets.map(({ contract: { name }, document }): [string, Asset] => {
    const outline = renderOutline(document, markdown => marked.parse(markdown, { async: false }));
    const url = name === 'v1' ? 'openapi.json' : `openapi/${name}.json`;
    return [
      name,
      createAsset('text/html; charset=utf-8', render(script, { outline, url, links: linksTo(sets, name) })),
    ];
  });
  return { pages: new Map(pages), script };
}

/** Links to the references of the other sets; none for a single one. */
function linksTo(sets: readonly DocumentedSet[], current: string): string {
  if (sets.length === 1) return '';
  const links = sets.map(({ contract: { name, info } }) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<a href="docs${name === 'v1' ? '' : `?set=${name}`}"${mark}>${escapeHtml(info?.title ?? name)}</a>`;
  });
  return `<nav aria-label="Sets of operations">${links.join(' ')}</nav>`;
}

interface PageParts {
  readonly outline: string;
  /** Of the OpenAPI document. */
  readonly url: string;
  readonly links: string;
}

function render(script: Asset, { outline, url, links }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Carte: REST reference</title>
    <link rel="describedby" type="application/json" href="${url}">
    <link rel="icon" type="image/svg+xml" href="web/icon.svg">
    <link rel="stylesheet" href="web/docs/docs.css">
    <link rel="stylesheet" href="web/docs/outline.css">
    <link rel="modulepreload" href="web/docs/document.ts">
    <link rel="modulepreload" href="web/key.ts">
    <link rel="modulepreload" href="web/element.ts">
    <link rel="modulepreload" href="web/docs/accessibility.ts">
    <script type="module" src="web/docs/prepare.ts"></script>
    <script defer src="docs/${script.hash}/scalar.js"></script>
    <script type="module" src="web/docs/main.ts"></script>
  </head>
  <body>
    <header class="bar">
      <a href="./"><img src="web/icon.svg" alt="" width="24" height="24"> Carte</a>
      <span>REST reference ${version}</span>
      ${links}
    </header>
    ${outline}
    <div id="reference"></div>
  </body>
</html>
`;
}
