import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, createAsset, once, onceFor, sendAsset, sendPage } from './asset.ts';
import type { renderGuide } from './guide-markdown.ts';
import { Html, html } from './html.ts';
import { renderTextPage } from './page.ts';

const folder = new URL('../../../docs/', import.meta.url);
const mediaType = 'text/html; charset=utf-8';

/**
 * Serves docs/ as pages below `/guides`, with their pictures and an index for the search, and as Markdown, as plain text, at
 * `/guides/NAME.md`. A name that a guide once had redirects to its present one.
 */
export function mountGuides(app: FastifyInstance): void {
  const files = listFiles();
  const names = findGuides(files);
  const pictures = new Set(files.filter(file => file.endsWith('.png')));
  const render = createRenderer(names);
  app.get('/guides', async (_request, reply) => sendPage(await render('index'), reply));
  app.get('/guides/', (_request, reply) => reply.redirect('../guides', 307));
  app.get('/guides/search.json', async (_request, reply) => sendAsset(await render('search.json'), reply));
  app.get<{ Params: { '*': string } }>('/guides/*', async (request, reply) => {
    const path = request.params['*'];
    if (pictures.has(path)) return sendAsset(await render(path), reply);
    const moved = findMovedGuide(path);
    if (moved !== undefined) return reply.redirect(moved, 308);
    const name = path.replace(/\.md$/, '');
    if (!names.has(name)) return reply.callNotFound();
    const asset = await render(path);
    return name === path ? sendPage(asset, reply) : sendAsset(asset, reply);
  });
}

const listFiles = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => file.replaceAll('\\', '/'));

/** Paths in docs/, without the extension. */
function findGuides(files: readonly string[]): ReadonlySet<string> {
  const guides = files.filter(file => file.endsWith('.md')).map(file => file.slice(0, -'.md'.length));
  return new Set(guides.sort());
}

const readGuide = (name: string) => readFileSync(new URL(`${name}.md`, folder), 'utf8');

/** Creates a function that renders a page, or another document below `/guides/`, when it is first requested. */
function createRenderer(names: ReadonlySet<string>): (path: string) => Promise<Asset> {
  const groups = once(groupedGuides);
  return onceFor(async path => {
    if (path.endsWith('.md')) return createAsset('text/plain; charset=utf-8', readGuide(path.slice(0, -'.md'.length)));
    if (path.endsWith('.png')) return createAsset('image/png', readFileSync(new URL(path, folder)));
    if (path === 'index') return createAsset(mediaType, renderIndex(groups()));
    const { renderGuide } = await import('./guide-markdown.ts');
    if (path !== 'search.json') {
      const guide = renderGuide(readGuide(path), path, names);
      return createAsset(mediaType, renderGuidePage(path, groups(), guide));
    }
    // The search lists equally good results in this order.
    const guides = groups().flatMap(group => group.guides);
    const sections = guides.flatMap(({ name, title }) =>
      renderGuide(readGuide(name), name, names).sections.map(({ heading, id, text }) => ({
        url: id === '' ? name : `${name}#${id}`,
        guide: title,
        heading,
        text,
      })),
    );
    return createAsset('application/json', JSON.stringify(sections));
  });
}

/** Reads the title and the first sentence of a guide, whose name is its path in docs/ and below /guides/. */
function describeGuide(name: string) {
  const withoutMarkup = readGuide(name)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '');
  const [heading = name, paragraph = ''] = withoutMarkup.split(/\n\s*\n/, 2);
  return { name, title: heading.replace(/^# /, ''), summary: /^.*?\.(?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph };
}

/** Names that guides once had, with the guide and section that their text is in now. */
const movedGuides: ReadonlyMap<string, string> = new Map([
  ['contributing', 'architecture'],
  ['events', 'webhooks-and-events#the-event-log'],
  ['failover', 'scaling-and-failover#failover'],
  ['glossary', 'architecture#glossary'],
  ['graphql-limits', 'limits'],
  ['operating-orders', 'operating#orders'],
  ['performance', 'architecture#performance'],
  // Without a section, a browser keeps that of the old address, whose headings are the same.
  ['scaling', 'scaling-and-failover'],
  ['webhooks', 'webhooks-and-events'],
]);

/** Returns the new path below `/guides/` of a guide that has moved, or of its Markdown. */
function findMovedGuide(path: string): string | undefined {
  if (!path.endsWith('.md')) return movedGuides.get(path);
  const [name] = movedGuides.get(path.slice(0, -'.md'.length))?.split('#') ?? [];
  return name === undefined ? undefined : `${name}.md`;
}

/** A guide as it appears in lists. */
type GuideEntry = ReturnType<typeof describeGuide>;

export type Group = ReturnType<typeof groupedGuides>[number];

const namesByTitle: Readonly<Record<string, readonly string[]>> = {
  'Build a front end': [
    'front-end',
    'reading-menus',
    'placing-orders',
    'handling-orders',
    'changing-menus',
    'live-updates',
    'caching',
    'typed-clients',
  ],
  'Build on Carte': ['pos', 'operations', 'webhooks-and-events', 'migrating'],
  'Run Carte': ['console', 'menu-history', 'operating', 'upgrading', 'scaling-and-failover', 'nothing-is-lost'],
  Reference: ['interface', 'promises', 'errors', 'limits', 'settings', 'diagnostics'],
  'Work on Carte': ['architecture'],
};

/** All guides by their readers; those that no group names are in the group More, and decisions are last. */
export function groupedGuides() {
  const guides = [...findGuides(listFiles())].map(describeGuide);
  const named = new Set(Object.values(namesByTitle).flat());
  const isDecision = ({ name }: GuideEntry) => name.startsWith('decisions/');
  return [
    ...Object.entries(namesByTitle).map(([title, names]) => ({
      title,
      guides: names.flatMap(name => guides.find(guide => guide.name === name) ?? []),
    })),
    { title: 'More', guides: guides.filter(guide => !named.has(guide.name) && !isDecision(guide)) },
    { title: 'Decisions', guides: guides.filter(isDecision) },
  ].filter(group => group.guides.length > 0);
}

/** Renders the list of all guides. */
function renderIndex(groups: readonly Group[]): string {
  const list = groups.map(
    group => html`
        <h2>${group.title}</h2>
        <dl>${group.guides.map(({ name, title, summary }) => html`<dt><a href="guides/${name}">${title}</a></dt><dd>${summary}</dd>\n`)}</dl>`,
  );
  return renderTextPage({ title: 'Guides', base: '', section: 'Guides', content: html`<h1>Guides</h1>${list}` });
}

/** Renders the page of a guide, with links to all others and to its own sections. */
function renderGuidePage(current: string, groups: readonly Group[], page: ReturnType<typeof renderGuide>): string {
  const base = '../'.repeat(current.split('/').length);
  const isCurrent = ({ name }: GuideEntry) => name === current;
  const linkTo = (guide: GuideEntry) => {
    const { name, title } = guide;
    if (!isCurrent(guide)) return html`<li><a href="${base}guides/${name}">${title}</a></li>`;
    const contents = page.sections.filter(({ depth }) => depth === 2);
    const links = contents.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`);
    return html`<li><a href="${base}guides/${name}" aria-current="page">${title}</a><ul>${links}</ul></li>`;
  };
  // Decisions are many, and read from a guide that links to them.
  const shown = groups.filter(({ title, guides }) => title !== 'Decisions' || guides.some(isCurrent));
  const nav = html`<nav aria-label="Guides">
        ${shown.map(group => html`<h2>${group.title}</h2><ul>${group.guides.map(linkTo)}</ul>`)}
      </nav>`;
  const { title = current } = groups.flatMap(({ guides }) => guides).find(isCurrent) ?? {};
  return renderTextPage({ title, base, section: 'Guides', nav, content: new Html(page.html) });
}
