import { globSync, readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { parse, print, separateOperations } from 'graphql';
import { printGraph, printGraphForGuests } from '../../graphql/sdl.ts';
import { renderConsole, renderMenuViewer } from './apps.ts';
import { type Asset, defaultPolicy, lazyAsset, once, sendAsset, sendPage } from './asset.ts';
import { mountGuides } from './guides.ts';
import { iconSprite } from './icons.ts';
import { joinModules, linkToJoined } from './joined-modules.ts';
import { type LinkSettings, renderLanding } from './landing.ts';
import { renderLlms } from './llms.ts';
import { packageAssets, resolvePackages } from './packages.ts';

const mediaTypes = {
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
  graphql: 'application/json',
  woff2: 'font/woff2',
};

/** What pages load at first: modules with what they import, each in one file. Other modules are loaded when they are needed. */
const scripts = {
  'site.js': { folders: /^(site|docs)\//, modules: ['site/main.ts'] },
  // The console loads modules of this folder, too, so that they must not run the viewer.
  'menu.js': { folders: /^menu\/main\.ts$/, modules: ['menu/main.ts'] },
  // Of a worker, which has no document: it must not load what the console does.
  'upload-worker.js': { folders: /^console\/menu\/worker\.ts$/, modules: ['console/menu/worker.ts'] },
  'console.js': {
    folders: /^console\//,
    modules: ['console/main.ts', 'console/orders/watch.ts', 'console/orders/orders.ts'],
  },
} as const;

/** Styles that pages load in one file. */
const sharedStyles = ['tokens.css', 'page.css', 'frame.css'];
const styles: Readonly<Record<string, readonly string[]>> = {
  'site.css': [...sharedStyles, 'text.css', 'docs/page.css', 'site/landing.css'],
  'menu.css': [...sharedStyles, 'menu/card.css', 'menu/menu.css', 'menu/navigation.css'],
  'playground.css': ['tokens.css', 'frame.css', 'playground/playground.css'],
  'console.css': [
    ...sharedStyles,
    'menu/card.css',
    'console/console.css',
    'console/orders/orders.css',
    'console/stock/stock.css',
    'console/menu/menu.css',
  ],
};

/** Mounts the pages for people, `/llms.txt` for agents, and the schema in SDL: what introspection shows, as a text. */
export const pages = fp(
  async (app: FastifyInstance) => {
    const { config, graph } = app;
    const sdlOf = (print: typeof printGraph) => lazyAsset('text/plain; charset=utf-8', () => print(graph.publicSchema));
    const sdl = new Map([
      [undefined, sdlOf(printGraph)],
      ['guests', sdlOf(printGraphForGuests)],
    ]);
    if (config.introspection) {
      app.get<{ Querystring: { readonly for?: string } }>('/schema.graphql', (request, reply) => {
        const found = sdl.get(request.query.for);
        return found ? sendAsset(found(), reply) : reply.callNotFound();
      });
    }
    const llms = lazyAsset('text/plain; charset=utf-8', () => renderLlms(graph.sets, config.introspection));
    app.get('/llms.txt', (_request, reply) => sendAsset(llms(), reply));
    mountGuides(app);
    mountPages(app, config);
  },
  { name: 'pages', dependencies: ['error-handler', 'graph'] },
);

const folder = new URL('../../../web/', import.meta.url);

/** Serves the pages `/`, `/menu` and `/console`, and the files that they load below `/web`. */
export function mountPages(app: FastifyInstance, settings: LinkSettings): void {
  const joined = Object.entries(scripts).map(([file, { folders, modules }]) => ({
    file,
    folders,
    joined: once(() => joinModules(modules, readText)),
  }));
  const read = (path: string) => {
    const found = path.endsWith('.ts') ? joined.find(({ folders }) => folders.test(path)) : undefined;
    return found ? linkToJoined(path, readText(path), found.joined(), found.file) : readFile(path);
  };
  const files = new Map<string, () => Asset>([
    ...packageAssets(),
    ['icons.svg', lazyAsset(mediaTypes.svg, iconSprite)],
    ...joined.map(({ file, joined }) => [file, lazyAsset(mediaTypes.ts, () => joined().text)] as const),
    ...Object.entries(styles).map(
      ([file, paths]) => [file, lazyAsset(mediaTypes.css, () => paths.map(readText).join('\n'))] as const,
    ),
  ]);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = entry.replaceAll('\\', '/');
    const [, type] = Object.entries(mediaTypes).find(([ending]) => path.endsWith(`.${ending}`)) ?? [];
    if (type)
      files.set(
        path,
        lazyAsset(type, () => read(path)),
      );
  }
  const packagesOf = (name: keyof typeof scripts) => joined.find(({ file }) => file === name)?.joined().packages ?? [];
  const pages = {
    '/': () => renderLanding(settings),
    '/menu': renderMenuViewer,
    '/console': () => renderConsole(packagesOf('console.js')),
  };
  for (const [url, render] of Object.entries(pages)) {
    const page = lazyAsset('text/html; charset=utf-8', render);
    app.get(url, (_request, reply) => sendPage(page(), reply));
  }
  // Browsers request it for what is no page, such as /openapi.json.
  const icon = files.get('icon.svg');
  if (icon) app.get('/favicon.ico', (_request, reply) => sendAsset(icon(), reply));
  app.get<{ Params: { store: string } }>('/menu/:store', ({ params, url }, reply) => {
    const search = new URLSearchParams(url.split('?')[1]);
    search.set('store', params.store);
    return reply.redirect(`../menu?${search}`, 307);
  });
  app.get('/menu/', (_request, reply) => reply.redirect('../menu', 307));
  app.get('/console/', (_request, reply) => reply.redirect('../console', 307));
  app.get<{ Params: { '*': string } }>('/web/*', (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    // The policy of a page does not apply to its workers.
    if (/\bworker\.[jt]s$/.test(path)) reply.header('content-security-policy', defaultPolicy);
    return file ? sendAsset(file(), reply) : reply.callNotFound();
  });
}

/** Reads a file of `web/` as browsers get it. */
function readFile(path: string): string | Buffer {
  return path.endsWith('.woff2') ? readFileSync(new URL(path, folder)) : readText(path);
}

function readText(path: string): string {
  const text = readFileSync(new URL(path, folder), 'utf8');
  if (path.endsWith('.ts')) return resolvePackages(withoutComments(stripTypes(text)), path);
  if (path.endsWith('.css')) return withoutComments(text);
  // Pages have no parser of GraphQL.
  if (path.endsWith('.graphql')) return JSON.stringify(splitOperations(text));
  return text;
}

/** Removes the comments that have lines of their own, a fifth of what pages would load, and blanks at the ends of lines; lines stay where they are. */
const withoutComments = (source: string): string =>
  source
    .replace(/^[ \t]*(?:\/\/.*|\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)$/gm, comment => comment.replace(/.+/g, ''))
    .replace(/[ \t]+$/gm, '');

/** Replaces types by blanks, so that lines and columns stay where they are. */
export function stripTypes(source: string): string {
  const { emitWarning } = process;
  // Node warns that the function is experimental, which no operator can act on.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Splits a file into its operations by name, each with the fragments that it uses. */
function splitOperations(text: string): Readonly<Record<string, string>> {
  const documents = Object.entries(separateOperations(parse(text)));
  return Object.fromEntries(documents.map(([name, document]) => [name, print(document)]));
}

/** The documents that pages send. */
export function documentsOfPages(): string[] {
  return globSync('{console,frame,menu,site}/**/*.graphql', { cwd: folder }).flatMap(path =>
    Object.values(splitOperations(readFileSync(new URL(path, folder), 'utf8'))),
  );
}
