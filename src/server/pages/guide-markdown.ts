import { posix } from 'node:path';
import { Marked, Renderer, type Token } from 'marked';
import { highlight } from './highlight.ts';
import { escapeHtml } from './html.ts';

/** Renders a guide. `name` is its path in docs/ without the extension; links to others of `names` lead to their pages. */
export function renderGuide(markdown: string, name: string, names: ReadonlySet<string>) {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const sections = findSections(tokens);
  const ids = sections.values().map(({ id }) => id);
  marked.use({
    renderer: {
      heading({ depth, tokens }) {
        const text = this.parser.parseInline(tokens);
        const id = escapeHtml(ids.next().value ?? '');
        const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return depth === 1 ? `<h1>${text}</h1>\n` : `<h${depth} id="${id}">${text} ${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href, name, names);
        if (target !== undefined) return `<a href="${escapeHtml(target)}">${text}</a>`;
        const file = posix.join('docs', posix.dirname(name), href);
        return `<span title="${escapeHtml(file)} in the repository">${text}</span>`;
      },
      // Indented blocks are commands; words after the language are for the tests of the guides.
      code: ({ text, lang = 'sh' }) => `<pre><code>${highlight(text, lang.split(' ')[0] ?? '')}</code></pre>\n`,
      // It scrolls on a narrow screen, so the keyboard must be able to focus it.
      table(token) {
        const table = Renderer.prototype.table.call(this, token).replaceAll('<th></th>', '<td></td>');
        return `<div class="table" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
      },
    },
  });
  return { html: marked.parser(tokens), sections };
}

/** Splits a guide at its headings. The first section, below the title, has neither heading nor id. Texts have no markup, for the search. */
function findSections(tokens: readonly Token[]) {
  const used = new Map<string, number>();
  const sections: { heading: string; id: string; depth: number; text: string }[] = [];
  for (const token of tokens) {
    const section = sections.at(-1);
    if (token.type === 'heading') {
      const heading = token.depth === 1 ? '' : plainText(token.text);
      // As GitHub creates them, so that a link works in both.
      const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
      const name = words.replaceAll(' ', '-');
      const count = used.get(name) ?? 0;
      used.set(name, count + 1);
      sections.push({ heading, id: count === 0 ? name : `${name}-${count}`, depth: token.depth, text: '' });
    } else if (section) {
      section.text = `${section.text} ${plainText(token.raw)}`.trim();
    }
  }
  return sections;
}

/** A text without markup. */
function plainText(markdown: string): string {
  const withoutLinks = markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return withoutLinks
    .replace(/<a id="[^"]*"><\/a>/g, '')
    .replaceAll('`', '')
    .replace(/[*|]|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The address of a link relative to the page; undefined if it leads to a file that is not served. */
function resolveLink(href: string, name: string, names: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.join(posix.dirname(name), path);
  if (!path.endsWith('.md') || !names.has(target.slice(0, -'.md'.length))) return undefined;
  return path.slice(0, -'.md'.length) + (fragment === undefined ? '' : `#${fragment}`);
}
