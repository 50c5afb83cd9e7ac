import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, contentSecurityPolicy, createAsset, sendAsset, sendPage } from './asset.ts';
import { type GuideEntry, groupGuides, renderGuidePage, renderIndex } from './guide-page.ts';
import { findMovedGuide } from './moved-guides.ts';

const folder = new URL('../../../docs/', import.meta.url);
const policy = contentSecurityPolicy();
const html = 'text/html; charset=utf-8';

/**
 * Serves docs/ as pages below `/guides`, with their pictures and an index for the search, and as Markdown, as plain text, at
 * `/guides/NAME.md`. A name that a guide once had redirects to its present one.
 */
export function mountGuides(app: FastifyInstance): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => file.replaceAll('\\', '/'));
  const names = findGuides(files);
  const pictures = new Set(files.filter(file => file.endsWith('.png')));
  const render = createRenderer(names);
  app.get('/guides', async (request, reply) => sendPage({ page: await render('index'), policy }, request, reply));
  app.get('/guides/', (_request, reply) => reply.redirect('../guides', 307));
  app.get('/guides/search.json', async (request, reply) => sendAsset(await render('search.json'), request, reply));
  app.get<{ Params: { '*': string } }>('/guides/*', async (request, reply) => {
    const path = request.params['*'];
    if (pictures.has(path)) return sendAsset(await render(path), request, reply);
    const moved = findMovedGuide(path);
    if (moved !== undefined) return reply.redirect(moved, 308);
    const name = path.replace(/\.md$/, '');
    if (!names.has(name)) return reply.callNotFound();
    const asset = await render(path);
    return name === path ? sendPage({ page: asset, policy }, request, reply) : sendAsset(asset, request, reply);
  });
}

/** Paths in docs/, without the extension. */
function findGuides(files: readonly string[]): ReadonlySet<string> {
  const guides = files.filter(file => file.endsWith('.md')).map(file => file.slice(0, -'.md'.length));
  return new Set(guides.sort());
}

const readGuide = (name: string) => readFileSync(new URL(`${name}.md`, folder), 'utf8');

/** Creates a function that renders a page, or another document below `/guides/`, when it is first requested. */
function createRenderer(names: ReadonlySet<string>): (path: string) => Promise<Asset> {
  const rendered = new Map<string, Promise<Asset>>();
  let entries: readonly GuideEntry[] | undefined;
  const guides = () => {
    // The search lists equally good results in this order.
    entries ??= groupGuides([...names].map(describeGuide)).flatMap(group => group.guides);
    return entries;
  };
  const create = async (path: string): Promise<Asset> => {
    if (path.endsWith('.md')) return createAsset('text/plain; charset=utf-8', readGuide(path.slice(0, -'.md'.length)));
    if (path.endsWith('.png')) return createAsset('image/png', readFileSync(new URL(path, folder)));
    if (path === 'index') return createAsset(html, renderIndex(guides()));
    const { renderGuide } = await import('./guide-markdown.ts');
    if (path !== 'search.json') {
      const guide = guides().find(({ name }) => name === path) ?? describeGuide(path);
      const page = { guide, guides: guides(), ...renderGuide(readGuide(path), path, names) };
      return createAsset(html, renderGuidePage(page));
    }
    const sections = guides().flatMap(({ name, title }) =>
      renderGuide(readGuide(name), name, names).sections.map(({ heading, id, text }) => ({
        url: id === '' ? name : `${name}#${id}`,
        guide: title,
        heading,
        text,
      })),
    );
    return createAsset('application/json', JSON.stringify(sections));
  };
  return path => {
    const asset = rendered.get(path) ?? create(path);
    rendered.set(path, asset);
    asset.catch(() => rendered.delete(path));
    return asset;
  };
}

/** Reads the title and the first sentence. */
function describeGuide(name: string): GuideEntry {
  const withoutMarkup = readGuide(name)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '');
  const [heading = name, paragraph = ''] = withoutMarkup.split(/\n\s*\n/, 2);
  return { name, title: heading.replace(/^# /, ''), summary: /^.*?\.(?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph };
}
