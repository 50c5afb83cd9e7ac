import type { Contract } from '@carte/operations/contract/contract';
import { downgradeDocument } from '@carte/operations/openapi/downgrade';
import { postmanCollection } from '@carte/operations/openapi/postman';
import type { Json } from '@carte/operations/openapi/schemas';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { version } from '../../version.ts';
import { createAsset, lazyAsset, onceFor, sendAsset, sendPage } from './asset.ts';
import type { GraphReference } from './graph-reference.ts';
import { Html, html } from './html.ts';
import { renderTextPage } from './page.ts';

/** A set of operations and its OpenAPI document. */
interface DocumentedSet {
  readonly contract: Contract;
  readonly document: () => Json;
}

/** What the references document. */
interface Documented {
  readonly sets: readonly DocumentedSet[];
  /** Absent where the graph is not shown. */
  readonly schema: GraphQLSchema | undefined;
}

const mediaType = 'text/html; charset=utf-8';

/**
 * Serves the REST reference of each set at `/docs`, that of the graph at `/docs/graph`, what the search finds in them, the OpenAPI documents,
 * also in version 3.0, and Postman collections.
 */
export function mountDocs(app: FastifyInstance, documented: Documented): void {
  const { sets, schema } = documented;
  for (const [url, read] of sets.flatMap(set => Object.entries(documentsOf(set)))) {
    const asset = lazyAsset('application/json', () => JSON.stringify(read()));
    app.get(url, (_request, reply) => sendAsset(asset(), reply));
  }
  const pages = onceFor(async (set: DocumentedSet) => createAsset(mediaType, await renderDocs(set, documented)));
  app.get<{ Querystring: { set?: string } }>('/docs', async (request, reply) => {
    const { set: name = 'v1' } = request.query;
    const set = sets.find(({ contract }) => contract.name === name);
    return set ? sendPage(await pages(set), reply) : reply.callNotFound();
  });
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 307));
  app.get('/docs/try', (_request, reply) => reply.redirect('../docs', 308));

  const reference = onceFor<void, GraphReference | undefined>(async () => {
    const { createGraphReference } = await import('./graph-reference.ts');
    return schema && createGraphReference(schema);
  });
  const search = onceFor<void, ReturnType<typeof createAsset>>(async () =>
    createAsset('application/json', JSON.stringify(await searchEntries(sets, await reference()))),
  );
  app.get('/docs/search.json', async (_request, reply) => sendAsset(await search(), reply));
  if (!schema) return;
  const graphPages = onceFor(async (type: string) => {
    const graph = await reference();
    const page = type === '' ? graph?.index() : graph?.type(type);
    return page && createAsset(mediaType, renderGraphPage(page, type, documented));
  });
  app.get('/docs/graph', async (_request, reply) => {
    const page = await graphPages('');
    return page ? sendPage(page, reply) : reply.callNotFound();
  });
  app.get('/docs/graph/', (_request, reply) => reply.redirect('../graph', 307));
  app.get<{ Params: { type: string } }>('/docs/graph/:type', async ({ params }, reply) => {
    // Only names of types, so that others are not remembered.
    const page = schema.getType(params.type) && (await graphPages(params.type));
    return page ? sendPage(page, reply) : reply.callNotFound();
  });
}

/** The routes of all sets, and types and fields of the graph, as `web/frame/search.ts` lists them. */
async function searchEntries(sets: readonly DocumentedSet[], graph: GraphReference | undefined) {
  const { routesOf } = await import('./reference.ts');
  const routes = sets.flatMap(({ contract: { name }, document }) =>
    routesOf(document()).map(({ method, path, id, summary, description }) => ({
      kind: 'Route',
      title: `${method} ${path}`,
      url: `docs${query(name)}#${id}`,
      text: [summary, description].filter(Boolean).join('. '),
    })),
  );
  return [...routes, ...(graph?.entries() ?? [])];
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

async function renderDocs({ contract, document }: DocumentedSet, documented: Documented): Promise<string> {
  const { renderReference } = await import('./reference.ts');
  const { name } = contract;
  const { title, nav, content } = renderReference(document(), contract.operations);
  const base = documentUrl(name);
  return renderTextPage({
    title: 'REST reference',
    base: '',
    section: 'Reference',
    kind: 'reference',
    nav,
    content: html`${linksTo(documented, name, '')}
        <h1>${title}</h1>
        <p class="small">REST reference ${version} <a class="to-nav" href="#routes">Routes</a></p>
        <div id="key-form"></div>
        <p id="key-note" class="small">The key stays in this tab, for all pages; “Copy” puts it into the samples, and “Try it” sends
          it.<noscript> Both need JavaScript.</noscript></p>
        ${content}
        <p class="small">This reference for programs: <a id="openapi" href="${base}.json">OpenAPI 3.1</a>,
          <a href="${base}-3.0.json">OpenAPI 3.0</a>, <a href="openapi/${name}.postman.json">Postman collection</a>.</p>`,
  });
}

/** Below `/docs/graph/`, links lead there from one level more, or two. */
function renderGraphPage(page: ReturnType<GraphReference['index']>, type: string, documented: Documented): string {
  const base = type === '' ? '../' : '../../';
  const rebase = ({ text }: Html) => new Html(text.replaceAll(/ href="(docs|graphql|guides)/g, ` href="${base}$1`));
  return renderTextPage({
    title: type === '' ? 'Reference of the graph' : `${type} in the graph`,
    base,
    section: 'Reference',
    kind: 'reference',
    nav: rebase(page.nav),
    content: html`${linksTo(documented, 'graph', base)}${rebase(page.content)}
        <p class="small">For programs: <a href="${base}schema.graphql">the graph in SDL</a>.</p>`,
  });
}

/** Links to all references; none for a single one. */
function linksTo({ sets, schema }: Documented, current: string, base: string): Html | undefined {
  const references = [
    ...sets.map(({ contract: { name, info } }) => ({ name, title: info?.title ?? name, url: `docs${query(name)}` })),
    ...(schema ? [{ name: 'graph', title: 'Graph', url: 'docs/graph' }] : []),
  ];
  if (references.length === 1) return undefined;
  const links = references.map(({ name, title, url }) => {
    const state = name === current && html` aria-current="page"`;
    return html` <a href="${base}${url}"${state}>${title}</a>`;
  });
  return html`<p class="sets">${links}</p>`;
}
