import Fastify, { type FastifyInstance } from 'fastify';
import { downgradeDocument } from '../../rest/openapi/downgrade.ts';
import type { Json } from '../../rest/openapi/schemas.ts';
import { version } from '../../version.ts';
import { type Asset, contentSecurityPolicy, createAsset, immutable, lazyAsset, sendAsset, sendPage } from './asset.ts';
import { renderOutline } from './outline.ts';

/** Scalar creates its styles by script. */
const policy = contentSecurityPolicy({ 'style-src': "'self' 'unsafe-inline'", 'img-src': "'self' data:" });

/** Serves the REST reference at `/docs`, and the OpenAPI document, also in version 3.0. */
export function mountDocs(app: FastifyInstance, document: Json): void {
  const documents = { '/openapi.json': () => document, '/openapi-3.0.json': () => downgradeDocument(document) };
  for (const [url, read] of Object.entries(documents)) {
    const asset = lazyAsset('application/json', () => JSON.stringify(read()));
    app.get(url, (request, reply) => sendAsset(asset(), request, reply));
  }
  let loaded: Promise<Reference> | undefined;
  const reference = () => {
    loaded ??= loadReference(document);
    return loaded;
  };
  app.get('/docs', async (request, reply) => {
    const { page } = await reference();
    return sendPage({ page, policy }, request, reply);
  });
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 307));
  app.get<{ Params: { hash: string } }>('/docs/:hash/scalar.js', async (request, reply) => {
    const { script } = await reference();
    return script.hash === request.params.hash ? sendAsset(script, request, reply, immutable) : reply.callNotFound();
  });
}

interface Reference {
  readonly page: Asset;
  readonly script: Asset;
}

/** Loads Scalar, which is 4 MB, so on the first request. */
async function loadReference(document: Json): Promise<Reference> {
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
  const outline = renderOutline(document, markdown => marked.parse(markdown, { async: false }));
  return { page: createAsset('text/html; charset=utf-8', render(script, outline)), script };
}

function render(script: Asset, outline: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Carte: REST reference</title>
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
    </header>
    ${outline}
    <div id="reference"></div>
  </body>
</html>
`;
}
