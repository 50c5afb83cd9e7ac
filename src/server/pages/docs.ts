import type { Contract } from '@carte/operations/contract/contract';
import { downgradeDocument } from '@carte/operations/openapi/downgrade';
import { postmanCollection } from '@carte/operations/openapi/postman';
import type { Json } from '@carte/operations/openapi/schemas';
import Fastify, { type FastifyInstance } from 'fastify';
import { version } from '../../version.ts';
import {
  type Asset,
  contentSecurityPolicy,
  createAsset,
  immutable,
  lazyAsset,
  onceFor,
  sendAsset,
  sendPage,
} from './asset.ts';
import { type Html, html } from './html.ts';
import { renderPage, renderTextPage } from './page.ts';

/** Scalar creates its styles by script. */
const clientPolicy = contentSecurityPolicy({ 'style-src': "'self' 'unsafe-inline'", 'img-src': "'self' data:" });

/** A set of operations and its OpenAPI document. */
interface DocumentedSet {
  readonly contract: Contract;
  readonly document: () => Json;
}

/**
 * Serves the REST reference of each set at `/docs`, a client for its routes at `/docs/try`, and the OpenAPI documents, also in version 3.0,
 * and Postman collections.
 */
export function mountDocs(app: FastifyInstance, sets: readonly DocumentedSet[]): void {
  for (const [url, read] of sets.flatMap(set => Object.entries(documentsOf(set)))) {
    const asset = lazyAsset('application/json', () => JSON.stringify(read()));
    app.get(url, (_request, reply) => sendAsset(asset(), reply));
  }
  const mountPage = (url: string, render: (set: DocumentedSet) => Promise<string>, policy?: string) => {
    const pages = onceFor(async (set: DocumentedSet) => createAsset('text/html; charset=utf-8', await render(set)));
    app.get<{ Querystring: { set?: string } }>(url, async (request, reply) => {
      const { set: name = 'v1' } = request.query;
      const set = sets.find(({ contract }) => contract.name === name);
      return set ? sendPage(await pages(set), reply, policy) : reply.callNotFound();
    });
  };
  const script = onceFor<void, Asset>(loadScalar);
  mountPage('/docs', set => renderDocs(set, sets));
  mountPage('/docs/try', async ({ contract: { name } }) => renderClient(name, await script()), clientPolicy);
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 307));
  app.get<{ Params: { hash: string } }>('/docs/:hash/scalar.js', async (request, reply) => {
    const asset = await script();
    return asset.hash === request.params.hash ? sendAsset(asset, reply, immutable) : reply.callNotFound();
  });
}

function documentsOf({ contract, document }: DocumentedSet): Readonly<Record<string, () => Json>> {
  const { name } = contract;
  const downgraded = () => downgradeDocument(document());
  return {
    [`/openapi/${name}.json`]: document,
    [`/openapi/${name}-3.0.json`]: downgraded,
    [`/openapi/${name}.postman.json`]: () => postmanCollection(contract),
    // Those of the nine routes have a second, older address.
    ...(name === 'v1' && { '/openapi.json': document, '/openapi-3.0.json': downgraded }),
  };
}

export const documentUrl = (set: string) => (set === 'v1' ? 'openapi' : `openapi/${set}`);
const query = (set: string) => (set === 'v1' ? '' : `?set=${set}`);

async function renderDocs({ contract, document }: DocumentedSet, sets: readonly DocumentedSet[]): Promise<string> {
  const { renderReference } = await import('./reference.ts');
  const { name } = contract;
  const { title, nav, content } = renderReference(document(), contract.operations, `docs/try${query(name)}`);
  const base = documentUrl(name);
  return renderTextPage({
    title: 'REST reference',
    base: '',
    section: 'Reference',
    kind: 'reference',
    nav,
    content: html`${linksTo(sets, name)}
        <h1>${title}</h1>
        <p class="small">REST reference ${version} <a class="to-nav" href="#routes">Routes</a></p>
        <div id="key-form"></div>
        <p id="key-note" class="small">The key stays in this tab, for all pages; “Copy” puts it into the samples, and “Try it” sends
          it.<noscript> Both need JavaScript.</noscript></p>
        ${content}
        <p class="small">This reference for programs: <a href="${base}.json">OpenAPI 3.1</a>,
          <a href="${base}-3.0.json">OpenAPI 3.0</a>, <a href="openapi/${name}.postman.json">Postman collection</a>.</p>`,
  });
}

/** Links to the references of all sets; none for a single one. */
function linksTo(sets: readonly DocumentedSet[], current: string): Html | undefined {
  if (sets.length === 1) return undefined;
  const links = sets.map(({ contract: { name, info } }) => {
    const state = name === current && html` aria-current="page"`;
    return html` <a href="docs${query(name)}"${state}>${info?.title ?? name}</a>`;
  });
  return html`<p class="sets">${links}</p>`;
}

/** Loads the script of Scalar, which is 4 MB. The package exports a Fastify plugin only, so it is taken from the route that this registers. */
async function loadScalar(): Promise<Asset> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const plugin = Fastify();
  await plugin.register(scalar, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const response = await plugin.inject('/docs/js/scalar.js');
  await plugin.close();
  if (response.statusCode !== 200) throw new Error('@scalar/fastify-api-reference has no route /js/scalar.js');
  return createAsset('text/javascript; charset=utf-8', response.rawPayload);
}

function renderClient(set: string, script: Asset): string {
  return renderPage({
    title: 'REST client – Carte',
    base: '../',
    head: html`<link rel="describedby" type="application/json" href="../${documentUrl(set)}.json">
    <link rel="preload" as="script" href="${script.hash}/scalar.js">`,
    styles: ['docs/try/try.css'],
    script: 'docs/try/main.ts',
    body: html`<header class="bar">
      <a href="../"><img src="../web/icon.svg" alt="" width="24" height="24"> Carte</a>
      <a href="../docs${query(set)}">REST reference</a>
    </header>
    <p id="note" role="status">Loading the client …<noscript> It needs JavaScript.</noscript></p>
    <div id="reference"></div>`,
  });
}
