import { escapeHtml } from './html.ts';

interface PageParts {
  readonly title: string;
  /** The relative URL of `/`, since a proxy may serve Carte below a path; empty for a page at the top. */
  readonly base: string;
  /** HTML beside the content. */
  readonly nav?: string;
  readonly content: string;
}

/** Renders a page of text: with the header of the guides, their search, and nothing inline. */
export function renderTextPage({ title, base, nav = '', content }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} – Carte</title>
    <link rel="icon" type="image/svg+xml" href="${base}web/icon.svg">
    <link rel="stylesheet" href="${base}web/page.css">
    <link rel="stylesheet" href="${base}web/guides/guides.css">
    <link rel="stylesheet" href="${base}web/guides/search.css">
    <script type="module" src="${base}web/guides/main.ts"></script>
  </head>
  <body>
    <header class="bar">
      <a href="${base || './'}"><img src="${base}web/icon.svg" alt="" width="24" height="24"> Carte</a>
      <a href="${base}guides">Guides</a>
    </header>
    <div class="columns">
      ${nav}
      <main>
        ${content}
      </main>
    </div>
  </body>
</html>
`;
}
