import { type Html, html } from './html.ts';
import { iconOf } from './icons.ts';

interface PageParts {
  readonly title: string;
  /** The relative URL of `/`, since a proxy may serve Carte below a path; empty for a page at the top. */
  readonly base?: string;
  /** The entry of the navigation that the page belongs to. */
  readonly section?: Section | undefined;
  /** Styles and the script, by their paths below `/web`. */
  readonly styles: readonly string[];
  readonly script: string;
  /** What else its head has, before styles and script. */
  readonly head?: Html;
  readonly body: Html;
}

const sections = {
  Console: 'console',
  Menu: 'menu',
  Playground: 'graphql',
  Reference: 'docs',
  Guides: 'guides',
} as const;

type Section = keyof typeof sections;

/** Renders a page below the head that all have, with no style or script inline. Its body has an element `#content`. */
export function renderPage({ title, base = '', section, styles, script, head, body }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" type="image/svg+xml" href="${base}web/icon.svg">
    <link rel="preload" as="font" type="font/woff2" href="${base}web/fonts/figtree-basic.woff2" crossorigin>
    ${head}
    ${styles.map(path => html`<link rel="stylesheet" href="${base}web/${path}">`)}
    <script type="module" src="${base}web/${script}"></script>
  </head>
  <body>
    ${renderHead(base, section)}
    ${body}
  </body>
</html>
`.text;
}

/** The head of all pages. `web/frame/main.ts` opens the search; on a narrow screen, the navigation opens without a script. */
function renderHead(base: string, section: Section | undefined): Html {
  const links = Object.entries(sections).map(([name, path]) => {
    const state = name === section && html` aria-current="page"`;
    return html`<a href="${base}${path}"${state}>${name}</a>`;
  });
  return html`<a class="skip" href="#content" lang="en" dir="ltr">Skip to the content</a>
    <header class="head" lang="en" dir="ltr">
      <a class="brand" href="${base || './'}"><img src="${base}web/icon.svg" alt="" width="24" height="24"> Carte</a>
      <nav id="pages" aria-label="Pages" popover>${links}</nav>
      <button type="button" class="find" aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K">
        ${iconOf('magnifying-glass')} <span>Search</span> <kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="pages-menu" popovertarget="pages">${iconOf('bars-3')}<span>Pages</span></button>
    </header>`;
}

interface TextPageParts {
  readonly title: string;
  readonly base: string;
  readonly section?: Section | undefined;
  /** Beside the content. */
  readonly nav?: Html;
  /** A class of the page. */
  readonly kind?: string;
  readonly content: Html;
}

/** Renders a page of text. */
export function renderTextPage({ title, base, section, nav, kind = 'text', content }: TextPageParts): string {
  return renderPage({
    title: `${title} – Carte`,
    base,
    section,
    styles: ['site.css'],
    script: 'site.js',
    body: html`<div class="columns ${kind}">
      ${nav}
      <main id="content" tabindex="-1">
        ${content}
      </main>
    </div>`,
  });
}
