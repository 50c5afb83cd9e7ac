import { guides } from './guides.ts';

/** A page or document of this server, relative to `/`. */
interface Link {
  readonly href: string;
  readonly title: string;
  readonly description?: string;
}

export interface LinkSettings {
  readonly introspection: boolean;
  readonly metrics: boolean;
}

const pages: readonly Link[] = [
  { href: 'console', title: 'Console', description: 'Orders, stock, menus and keys of your stores' },
  { href: 'graphql', title: 'Playground', description: 'Write queries, with examples' },
  { href: 'docs', title: 'REST reference', description: 'Read the nine routes and try them' },
  { href: 'menu', title: 'Menu viewer', description: "See a store's menu as its guests do" },
];

/** Documents for programs, without those that are switched off. */
function documents({ introspection, metrics }: LinkSettings): readonly Link[] {
  return [
    { href: 'openapi.json', title: 'OpenAPI 3.1' },
    { href: 'openapi-3.0.json', title: 'OpenAPI 3.0' },
    ...(introspection ? [{ href: 'schema.graphql', title: 'GraphQL schema' }] : []),
    ...(metrics ? [{ href: 'metrics', title: 'metrics' }] : []),
    { href: 'health/live', title: 'liveness' },
    { href: 'health/ready', title: 'readiness' },
  ];
}

const listOf = (links: readonly Link[]) =>
  links.map(({ href, title }) => `<a href="${href}">${title}</a>`).join(',\n          ');

/** Renders the lists of links on `/`. */
export function renderLinks(settings: LinkSettings): Readonly<Record<'pages' | 'guides' | 'documents', string>> {
  return {
    pages: pages
      .map(
        ({ href, title, description }) =>
          `<li><a href="${href}"><strong>${title}</strong><span>${description}</span></a></li>`,
      )
      .join('\n          '),
    guides: listOf(Object.entries(guides).map(([file, title]) => ({ href: `guides/${file}`, title }))),
    documents: listOf(documents(settings)),
  };
}
