import type { Config } from '../../config.ts';
import { version } from '../../version.ts';
import { type Html, html } from './html.ts';
import { iconOf } from './icons.ts';
import { renderPage } from './page.ts';

export type LinkSettings = Pick<Config, 'introspection' | 'metrics'>;

interface Door {
  readonly title: string;
  readonly text: string;
  readonly picture: Html;
  /** Where it leads; the first link is the main one. */
  readonly links: readonly (readonly [url: string, text: string])[];
}

/** A rounded bar of a picture, in a color of tokens.css: a line of text, a field, a button. */
const bar = (x: number, y: number, width: number, color: string, height = 6) =>
  html`<rect fill="var(--${color})" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`;

const sheet = (x: number, y: number, width: number, height: number) =>
  html`<rect fill="var(--sheet)" stroke="var(--rule)" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;

const doors: readonly Door[] = [
  {
    title: 'Restaurant',
    text: 'The console: orders as they come in, stock, menus, prices, keys and webhooks, on a tablet in the kitchen.',
    picture: html`${[12, 114, 216].map(
      (
        x,
        index,
      ) => html`${sheet(x, 16, 92, 108)}<path fill="var(--${['bad', 'warn', 'good'][index]})" d="M${x} 40v-16a8 8 0 0 1 8-8h76a8 8 0 0 1 8 8v16z"/>
        ${bar(x + 8, 25, 44, 'sheet')}${bar(x + 8, 52, 60, 'ink')}${bar(x + 8, 66, 44, 'rule')}${bar(x + 8, 80, 52, 'rule')}${bar(x + 8, 100, 76, index === 2 ? 'rule' : 'accent', 14)}`,
    )}`,
    links: [['console', 'Open the console']],
  },
  {
    title: 'Front end',
    text: 'One GraphQL graph for apps and web shops: menus in every language, orders, live updates.',
    picture: html`${sheet(16, 16, 176, 108)}${[
      bar(30, 30, 52, 'accent'),
      bar(42, 44, 68, 'ink'),
      bar(54, 58, 40, 'rule'),
      bar(66, 72, 76, 'rule'),
      bar(54, 86, 52, 'ink'),
      bar(42, 100, 28, 'rule'),
    ]}
      ${sheet(224, 8, 80, 124)}${bar(236, 22, 44, 'ink')}${[40, 64, 88, 112].map(
        y => html`${bar(236, y, 36, 'rule')}${bar(280, y, 14, 'accent')}`,
      )}`,
    links: [
      ['graphql', 'Open the playground'],
      ['docs/graph', 'Types and fields'],
    ],
  },
  {
    title: 'POS',
    text: 'Nine REST routes and those of a POS day, from the same graph. Each can be tried in the reference.',
    picture: html`${sheet(16, 16, 288, 108)}${[120, 150, 96, 132].map((width, index) => {
      const y = 30 + 24 * index;
      return [
        bar(30, y, 36, index === 0 ? 'good' : 'name', 12),
        bar(78, y + 3, width, 'ink'),
        bar(250, y + 3, 40, 'rule'),
      ];
    })}`,
    links: [
      ['docs', 'Open the reference'],
      ['guides/pos', 'A day of a POS'],
    ],
  },
];

/** Renders the page `/`. `web/site/landing.ts` shows what needs a key. */
export function renderLanding({ introspection, metrics }: LinkSettings): string {
  const isServed = ([url]: readonly [string, string]) => introspection || url !== 'docs/graph';
  const body = html`<main id="content" class="landing" tabindex="-1">
      <div class="masthead">
        <div>
          <h1>Menus and orders of restaurants, in one graph</h1>
          <p>Carte has menus, stores, merchants and orders: GraphQL for front ends, REST for POS systems, and a console for the staff.</p>
        </div>
        <dl class="facts">
          <div><dt>Version</dt><dd>${version}</dd></div>
          <div><dt>Database</dt><dd><span id="database" role="status">unknown</span></dd></div>
        </dl>
      </div>
      <section class="start" aria-label="Start">
        <div id="first-steps" hidden>
          <p class="line">
            <button type="button" id="place" class="main">${iconOf('shopping-bag')} Place a test order</button>
            <a class="button" href="menu">${iconOf('book-open')} See the menu</a>
          </p>
          <p id="placed" role="status"></p>
        </div>
        <div id="key-form"></div>
        <p id="key-note" class="small">
          The first start prints a link that has a key; <code>npm run --silent carte -- key create --name me --all</code> creates
          another. It stays in this tab, for all pages; “Copy” puts it into the examples.
        </p>
      </section>
      <ul class="doors">
        ${doors.map(
          ({ title, text, picture, links }) => html`<li>
          <svg viewBox="0 0 320 140" aria-hidden="true">${picture}</svg>
          <div>
            <h2>${title}</h2>
            <p>${text}</p>
            <p class="line">${links.filter(isServed).map(([url, label], index) => html`<a class="button ${index > 0 && 'quiet'}" href="${url}">${label}</a> `)}</p>
          </div>
        </li>`,
        )}
      </ul>
      <section aria-labelledby="call">
        <h2 id="call">Call it</h2>
        <figure>
          <figcaption>GraphQL: what a store sells, in Portuguese</figcaption>
          <pre>curl -H 'x-api-key: KEY' -H 'content-type: application/json' 'http://127.0.0.1:4000/graphql' --data-raw '{
  "query": "query($store: ID!) { store(id: $store) { items { name { text(languages: [\\"pt\\"]) } price { decimal } } } }",
  "variables": { "store": "lisbon-baixa" }
}'</pre>
        </figure>
        <figure>
          <figcaption>REST: one store</figcaption>
          <pre>curl -H 'x-api-key: KEY' 'http://127.0.0.1:4000/v1/stores/lisbon-baixa'</pre>
        </figure>
        <figure>
          <figcaption>REST: the newest pending orders</figcaption>
          <pre>curl -H 'x-api-key: KEY' 'http://127.0.0.1:4000/v1/stores/lisbon-baixa/orders/?status=PENDING&amp;page_size=5'</pre>
        </figure>
      </section>
      <section class="more" aria-labelledby="more">
        <h2 id="more">Read on</h2>
        <p>Guides: <a href="guides/front-end">GraphQL for front ends</a>,
          <a href="guides/webhooks-and-events">webhooks and events</a>,
          <a href="guides/interface">REST interface</a>,
          <a href="guides/operating">operating</a>,
          <a href="guides/scaling-and-failover">scaling and failover</a>.</p>
        <p class="small">For programs: <a href="openapi.json">OpenAPI 3.1</a>,
          <a href="openapi-3.0.json">OpenAPI 3.0</a>,
          ${introspection && html`<a href="schema.graphql">GraphQL schema</a>,\n          `}${metrics && html`<a href="metrics">metrics</a>,\n          `}<a href="health/live">liveness</a>,
          <a href="health/ready">readiness</a>.</p>
      </section>
    </main>`;
  return renderPage({ title: 'Carte', styles: ['site.css'], script: 'site.js', body });
}
