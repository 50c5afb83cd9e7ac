import type { Json } from '../../rest/openapi/schemas.ts';
import { escapeHtml } from './html.ts';

/** The parts of our OpenAPI document that the outline shows. */
interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: { readonly type?: string };
}

interface Route extends Operation {
  readonly method: string;
  readonly path: string;
  /** The fragment that Scalar has for this operation, so that a link still leads there when it has taken over. */
  readonly id: string;
}

type RenderMarkdown = (markdown: string) => string;

/**
 * Renders the operations of a document as HTML: what is shown while Scalar loads, and without JavaScript. `markdown` renders
 * descriptions.
 */
export function renderOutline(document: Json, markdown: RenderMarkdown): string {
  const { info, tags = [], paths = {} } = document as unknown as OpenApi;
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Route => {
      const tag = (operation.tags[0] ?? '').toLowerCase();
      return { ...operation, method: method.toUpperCase(), path, id: `tag/${tag}/${method.toUpperCase()}${path}` };
    }),
  );
  const named = new Set(tags.map(({ name }) => name));
  const others = routes.filter(({ tags: [tag] }) => tag === undefined || !named.has(tag));
  const groups = [
    ...tags.map(tag => ({ ...tag, routes: routes.filter(route => route.tags[0] === tag.name) })),
    ...(others.length > 0 ? [{ name: 'Routes', description: '', routes: others }] : []),
  ];
  return `<div id="outline">
      <nav aria-label="Operations">
        ${groups.map(({ name, routes }) => `<h2>${escapeHtml(name)}</h2><ul>${routes.map(linkTo).join('')}</ul>`).join('\n        ')}
      </nav>
      <main>
        <p id="note" role="status"><noscript>Samples and the client need JavaScript.</noscript></p>
        <h1>${escapeHtml(info.title)}</h1>
        ${markdown(info.description ?? '')}
        ${groups.map(({ name, description = '', routes }) => `<h2>${escapeHtml(name)}</h2>${markdown(description)}${routes.map(route => renderRoute(route, markdown)).join('\n')}`).join('\n        ')}
      </main>
    </div>`;
}

const linkTo = ({ id, summary, operationId, method }: Route) =>
  `<li><a href="#${escapeHtml(id)}"><span>${escapeHtml(summary ?? operationId)}</span> ${badge(method)}</a></li>`;

const badge = (method: string) => `<b class="${method.toLowerCase()}">${method}</b>`;

function renderRoute(
  { id, summary, operationId, description = '', method, path, parameters = [], responses }: Route,
  markdown: RenderMarkdown,
) {
  return `<section id="${escapeHtml(id)}">
          <h3>${escapeHtml(summary ?? operationId)}</h3>
          <p>${badge(method)} <code>${escapeHtml(path)}</code></p>
          ${markdown(description)}
          <dl>${parameters.map(parameter => renderParameter(parameter, markdown)).join('')}</dl>
          <p>Responses: ${Object.keys(responses).join(', ')}</p>
        </section>`;
}

function renderParameter({ name, in: place, required, description = '', schema }: Parameter, markdown: RenderMarkdown) {
  const facts = [place, schema?.type, required && 'required'].filter(Boolean).join(', ');
  return `<dt><code>${escapeHtml(name)}</code> ${facts}</dt><dd>${markdown(description)}</dd>`;
}
