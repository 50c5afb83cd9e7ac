import { type Html, html } from './html.ts';
import { renderPage } from './page.ts';

interface PageParts {
  readonly title: string;
  readonly base: string;
  /** The folder of `web/` with the script and the style of the page, beside those of all pages of text. */
  readonly folder?: string;
  /** In the header, beside the link to `/`. */
  readonly links?: Html;
  /** Beside the content. */
  readonly nav?: Html;
  readonly content: Html;
}

/** Renders a page of text. */
export function renderTextPage({ title, base, folder = 'guides', links, nav, content }: PageParts): string {
  return renderPage({
    title: `${title} – Carte`,
    base,
    styles: ['page.css', 'text.css', `${folder}/page.css`],
    script: `${folder}/main.ts`,
    body: html`<header class="bar">
      <a href="${base || './'}"><img src="${base}web/icon.svg" alt="" width="24" height="24"> Carte</a>
      ${links ?? html`<a href="${base}guides">Guides</a>`}
    </header>
    <div class="columns">
      ${nav}
      <main>
        ${content}
      </main>
    </div>`,
  });
}
