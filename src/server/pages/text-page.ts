import { type Html, html } from './html.ts';

interface PageParts {
  readonly title: string;
  /** The relative URL of `/`, since a proxy may serve Carte below a path; empty for a page at the top. */
  readonly base: string;
  /** The folder of `web/` with the script and the style of the page, beside those of all pages of text. */
  readonly folder?: string;
  /** In the header, beside the link to `/`. */
  readonly links?: Html;
  /** Beside the content. */
  readonly nav?: Html;
  readonly content: Html;
}

/** Renders a page of text, with nothing inline. */
export function renderTextPage({ title, base, folder = 'guides', links, nav, content }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – Carte</title>
    <link rel="icon" type="image/svg+xml" href="${base}web/icon.svg">
    <link rel="stylesheet" href="${base}web/page.css">
    <link rel="stylesheet" href="${base}web/text.css">
    <link rel="stylesheet" href="${base}web/${folder}/page.css">
    <script type="module" src="${base}web/${folder}/main.ts"></script>
  </head>
  <body>
    <header class="bar">
      <a href="${base || './'}"><img src="${base}web/icon.svg" alt="" width="24" height="24"> Carte</a>
      ${links ?? html`<a href="${base}guides">Guides</a>`}
    </header>
    <div class="columns">
      ${nav}
      <main>
        ${content}
      </main>
    </div>
  </body>
</html>
`.text;
}
