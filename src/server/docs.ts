import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Asset, createAsset, immutable, sendAsset } from '../cache/asset.ts';

// By default Swagger UI sends the document to an online validator; `validatorUrl: null` turns that off.
const start = `const dark = matchMedia('(prefers-color-scheme: dark)');
const shade = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', shade);
shade();
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  syntaxHighlight: { theme: 'obsidian' },
  validatorUrl: null,
});
`;

/** Allows no other origin: the page works offline and can call only this server. */
const contentSecurityPolicy = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/** Serves Swagger UI at `/docs`, and the OpenAPI document at `/openapi.json`. */
export function mountDocs(app: FastifyInstance, document: object): void {
  const source = createAsset('application/json', JSON.stringify(document));
  const files = findFiles();
  const page = createAsset('text/html; charset=utf-8', render(files));
  app.get('/openapi.json', (request, reply) => sendAsset(source, request, reply));
  app.get('/docs', (request, reply) =>
    sendAsset(page, request, reply.header('content-security-policy', contentSecurityPolicy)),
  );
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 307));
  for (const [name, file] of files) {
    app.get(`/docs/${file.hash}/${name}`, (request, reply) => sendAsset(file, request, reply, immutable));
  }
}

/** Files that the page loads, by name. */
function findFiles(): ReadonlyMap<string, Asset> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const fromPackage = (name: string, type: string) => createAsset(type, readFileSync(join(folder, name)));
  const script = 'text/javascript; charset=utf-8';
  return new Map([
    ['swagger-ui.css', fromPackage('swagger-ui.css', 'text/css; charset=utf-8')],
    ['swagger-ui-bundle.js', fromPackage('swagger-ui-bundle.js', script)],
    ['start.js', createAsset(script, start)],
  ]);
}

function render(files: ReadonlyMap<string, Asset>): string {
  const url = (name: string) => `docs/${files.get(name)?.hash}/${name}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Carte: REST interface</title>
    <link rel="stylesheet" href="${url('swagger-ui.css')}">
    <link rel="stylesheet" href="web/docs/docs.css">
    <link rel="icon" type="image/svg+xml" href="web/icon.svg">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${url('swagger-ui-bundle.js')}"></script>
    <script src="${url('start.js')}"></script>
  </body>
</html>
`;
}
