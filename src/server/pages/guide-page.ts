import type { Section } from './guide-markdown.ts';
import { escapeHtml } from './html.ts';
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
    group => `<h2>${group.title}</h2>
      <dl>${group.guides.map(({ name, title, summary }) => `<dt><a href="guides/${name}">${escapeHtml(title)}</a></dt><dd>${escapeHtml(summary)}</dd>`).join('\n')}</dl>`,
  );
  return renderTextPage({ title: 'Guides', base: '', content: `<h1>Guides</h1>\n${list.join('\n')}` });
}

interface GuidePage {
  readonly guide: GuideEntry;
  readonly guides: readonly GuideEntry[];
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Renders the page of a guide, with links to all others and to its own sections. */
export function renderGuidePage({ guide, guides, html, sections }: GuidePage): string {
  const base = '../'.repeat(guide.name.split('/').length);
  const linkTo = ({ name, title }: GuideEntry) => {
    if (name !== guide.name) return `<li><a href="${base}guides/${name}">${escapeHtml(title)}</a></li>`;
    const contents = sections.filter(({ depth }) => depth === 2);
    const links = contents.map(({ id, heading }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(heading)}</a></li>`);
    return `<li><a href="${base}guides/${name}" aria-current="page">${escapeHtml(title)}</a><ul>${links.join('')}</ul></li>`;
  };
  // Decisions are many, and read from a guide that links to them.
  const shown = groupGuides(guides).filter(group => group.title !== 'Decisions' || group.guides.includes(guide));
  const nav = `<nav aria-label="Guides">
        ${shown.map(group => `<h2>${group.title}</h2><ul>${group.guides.map(linkTo).join('')}</ul>`).join('\n        ')}
      </nav>`;
  return renderTextPage({ title: guide.title, base, nav, content: html });
}
