import { type Html, html } from './html.ts';

interface PageParts {
  readonly title: string;
  /** The relative URL of `/`, since a proxy may serve Carte below a path; empty for a page at the top. */
  readonly base?: string;
  /** Styles and the script, by their paths below `/web`. */
  readonly styles: readonly string[];
  readonly script: string;
  /** What else its head has, before styles and script. */
  readonly head?: Html;
  readonly body: Html;
}

/** Renders a page, with no style or script inline. */
export function renderPage({ title, base = '', styles, script, head, body }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" type="image/svg+xml" href="${base}web/icon.svg">
    ${head}
    ${styles.map(path => html`<link rel="stylesheet" href="${base}web/${path}">`)}
    <script type="module" src="${base}web/${script}"></script>
  </head>
  <body>
    ${body}
  </body>
</html>
`.text;
}

interface TextPageParts {
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
export function renderTextPage({ title, base, folder = 'guides', links, nav, content }: TextPageParts): string {
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
