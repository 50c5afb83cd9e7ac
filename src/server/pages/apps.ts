import { html } from './html.ts';
import { renderPage } from './page.ts';

/** Renders the page `/menu`, which its script fills. */
export function renderMenuViewer(): string {
  return renderPage({
    title: 'Menu viewer · Carte',
    section: 'Menu',
    styles: ['menu.css'],
    script: 'menu.js',
    body: html`<main id="content" tabindex="-1">
      <div class="masthead"><h1 data-text="title">Menu viewer</h1></div>
      <form id="choice" class="choice" autocomplete="off" hidden>
        <div>
          <label for="store" data-text="store">Store</label>
          <select id="store"></select>
        </div>
        <div id="view" hidden>
          <div>
            <label for="language" data-text="languageLabel">Language</label>
            <select id="language"></select>
          </div>
          <fieldset>
            <legend data-text="available">Available</legend>
            <label class="check"><input type="radio" name="when" value="now" checked> <span data-text="now">now</span></label>
            <label class="check"><input type="radio" name="when" value="any"> <span data-text="anyTime">any time</span></label>
            <span class="check">
              <label class="check"><input type="radio" name="when" value="at"> <span data-text="at">at</span></label>
              <input id="at" type="datetime-local" aria-label="Date and time at the store">
            </span>
          </fieldset>
        </div>
      </form>
      <p id="notice" class="bad" role="status" lang="en" dir="auto"></p>
      <p id="message" role="status" dir="auto"><noscript>The menu viewer needs JavaScript.</noscript></p>
      <p id="note" class="small"></p>
      <button id="retry" type="button" data-text="tryAgain" hidden>Try again</button>
      <div id="columns" class="columns">
        <div class="bar">
          <search>
            <form id="search-form" autocomplete="off" hidden>
              <label id="search-label" for="search" data-text="search">Search the menu</label>
              <input id="search" type="search" spellcheck="false" autocomplete="off" aria-keyshortcuts="/">
              <p id="found" class="small" role="status"></p>
            </form>
          </search>
          <nav id="sections" aria-label="Sections of the menu" hidden></nav>
        </div>
        <article id="menu"></article>
        <aside id="diagnostics" aria-label="Diagnostics" lang="en" dir="ltr"></aside>
      </div>
    </main>`,
  });
}

/** Renders the page `/console`, with the modules of packages that it loads at once. */
export function renderConsole(packages: readonly string[]): string {
  return renderPage({
    title: 'Console · Carte',
    section: 'Console',
    head: html`${packages.map(path => html`<link rel="modulepreload" href="web/${path}">`)}`,
    styles: ['console.css'],
    script: 'console.js',
    body: html`<div id="console">
      <p class="loading">Loading…</p>
      <noscript>
        <div class="welcome">
          <h1>Carte console</h1>
          <p>The console needs JavaScript. The <a href="guides">guides</a> and the <a href="docs">reference</a> can be read without.</p>
        </div>
      </noscript>
    </div>`,
  });
}
