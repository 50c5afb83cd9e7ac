import type { Config } from '../../config.ts';
import { version } from '../../version.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export type LinkSettings = Pick<Config, 'introspection' | 'metrics'>;

/** Renders the page `/`. */
export function renderLanding({ introspection, metrics }: LinkSettings): string {
  const body = html`<main id="content" class="landing" tabindex="-1">
      <div class="masthead">
      <div>
        <h1>Carte</h1>
        <p>Menus, stores, merchants and orders of restaurants: one GraphQL graph for front ends, nine REST routes for POS systems.</p>
      </div>
      <dl class="facts">
        <div><dt>Version</dt><dd>${version}</dd></div>
        <div><dt>Database</dt><dd><span id="database" role="status">unknown</span></dd></div>
      </dl>
      </div>
      <div id="key-form"></div>
      <p id="key-note" class="small">
        The first start prints one; <code>npm run --silent carte -- key create --name me --all</code> creates another.
        It stays in this tab, for all pages; “Copy” puts it into the examples, which use the demo
        restaurants.
      </p>
      <ol class="steps">
        <li>
          <h2>See a menu</h2>
          <p>
            The <a href="menu">menu viewer</a> shows a store’s menu as its guests see it: at any time, in every language.
          </p>
        </li>
        <li>
          <h2>Run a restaurant</h2>
          <p>
            The <a href="console">console</a> is for the staff and for operators: orders as they come in, stock, menus and their
            history, keys and webhooks.
          </p>
        </li>
        <li>
          <h2>Query the graph</h2>
          <p>
            Front ends select the fields that they need. The <a href="graphql">playground</a> has examples, completion and
            documentation.
          </p>
          <figure>
            <figcaption>GraphQL: what a store sells, in Portuguese</figcaption>
            <pre>curl -H 'x-api-key: KEY' -H 'content-type: application/json' 'http://127.0.0.1:4000/graphql' --data-raw '{
  "query": "query($store: ID!) { store(id: $store) { items { name { text(languages: [\\"pt\\"]) } price } } }",
  "variables": { "store": "lisbon-baixa" }
}'</pre>
          </figure>
        </li>
        <li>
          <h2>Call a route</h2>
          <p>
            POS systems call nine REST routes over the same graph. In the <a href="docs">REST reference</a> every read can be sent
            as it is.
          </p>
          <figure>
            <figcaption>REST: one store</figcaption>
            <pre>curl -H 'x-api-key: KEY' 'http://127.0.0.1:4000/v1/stores/lisbon-baixa'</pre>
          </figure>
          <figure>
            <figcaption>REST: the newest pending orders</figcaption>
            <pre>curl -H 'x-api-key: KEY' 'http://127.0.0.1:4000/v1/stores/lisbon-baixa/orders/?status=PENDING&amp;page_size=5'</pre>
          </figure>
        </li>
      </ol>
      <section class="more" aria-labelledby="more">
        <h2 id="more">Read on</h2>
        <p>Guides: <a href="guides/front-end">GraphQL for front ends</a>,
          <a href="guides/pos">POS integration</a>,
          <a href="guides/webhooks-and-events">webhooks and events</a>,
          <a href="guides/interface">REST interface</a>,
          <a href="guides/operating">operating</a>,
          <a href="guides/scaling-and-failover">scaling and failover</a>,
          <a href="guides">all guides</a>.</p>
        <p class="small">For programs: <a href="openapi.json">OpenAPI 3.1</a>,
          <a href="openapi-3.0.json">OpenAPI 3.0</a>,
          ${introspection && html`<a href="schema.graphql">GraphQL schema</a>,\n          `}${metrics && html`<a href="metrics">metrics</a>,\n          `}<a href="health/live">liveness</a>,
          <a href="health/ready">readiness</a>.</p>
      </section>
    </main>`;
  return renderPage({ title: 'Carte', styles: ['site.css'], script: 'site.js', body });
}
