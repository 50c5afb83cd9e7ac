import type { Section } from './guide-markdown.ts';
import { Html, html } from './html.ts';
import { renderTextPage } from './text-page.ts';

/** A guide as it appears in lists. */
export interface GuideEntry {
  /** Its path in docs/ without the extension, which is also its path below /guides/. */
  readonly name: string;
  readonly title: string;
  /** Its first sentence. */
  readonly summary: string;
}

interface Group {
  readonly title: string;
  readonly guides: readonly GuideEntry[];
}

const groups: Readonly<Record<string, readonly string[]>> = {
  'Build on Carte': ['front-end', 'pos', 'operations', 'webhooks-and-events', 'migrating'],
  'Run Carte': ['console', 'menu-history', 'operating', 'scaling-and-failover'],
  Reference: ['interface', 'diagnostics'],
  'Work on Carte': ['architecture'],
};

/** Groups the guides by their readers; those that no group names are in the group More, and decisions are last. */
export function groupGuides(guides: readonly GuideEntry[]): readonly Group[] {
  const named = new Set(Object.values(groups).flat());
  const isDecision = ({ name }: GuideEntry) => name.startsWith('decisions/');
  return [
    ...Object.entries(groups).map(([title, names]) => ({
      title,
      guides: names.flatMap(name => guides.find(guide => guide.name === name) ?? []),
    })),
    { title: 'More', guides: guides.filter(guide => !named.has(guide.name) && !isDecision(guide)) },
    { title: 'Decisions', guides: guides.filter(isDecision) },
  ].filter(group => group.guides.length > 0);
}

/** Renders the list of all guides. */
export function renderIndex(guides: readonly GuideEntry[]): string {
  const list = groupGuides(guides).map(
    group => html`
        <h2>${group.title}</h2>
        <dl>${group.guides.map(({ name, title, summary }) => html`<dt><a href="guides/${name}">${title}</a></dt><dd>${summary}</dd>\n`)}</dl>`,
  );
  return renderTextPage({ title: 'Guides', base: '', content: html`<h1>Guides</h1>${list}` });
}

interface GuidePage {
  readonly guide: GuideEntry;
  readonly guides: readonly GuideEntry[];
  /** Rendered from Markdown. */
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Renders the page of a guide, with links to all others and to its own sections. */
export function renderGuidePage({ guide, guides, html: content, sections }: GuidePage): string {
  const base = '../'.repeat(guide.name.split('/').length);
  const linkTo = ({ name, title }: GuideEntry) => {
    if (name !== guide.name) return html`<li><a href="${base}guides/${name}">${title}</a></li>`;
    const contents = sections.filter(({ depth }) => depth === 2);
    const links = contents.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`);
    return html`<li><a href="${base}guides/${name}" aria-current="page">${title}</a><ul>${links}</ul></li>`;
  };
  // Decisions are many, and read from a guide that links to them.
  const shown = groupGuides(guides).filter(group => group.title !== 'Decisions' || group.guides.includes(guide));
  const nav = html`<nav aria-label="Guides">
        ${shown.map(group => html`<h2>${group.title}</h2><ul>${group.guides.map(linkTo)}</ul>`)}
      </nav>`;
  return renderTextPage({ title: guide.title, base, nav, content: new Html(content) });
}
