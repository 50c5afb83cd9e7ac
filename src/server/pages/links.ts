/** A page or document of this server, relative to `/`. */
interface Link {
  readonly href: string;
  readonly title: string;
}

export interface LinkSettings {
  readonly introspection: boolean;
  readonly metrics: boolean;
}

/** The first guides to read, of all at `/guides`. */
const guides: readonly Link[] = [
  { href: 'guides/front-end', title: 'GraphQL for front ends' },
  { href: 'guides/pos', title: 'POS integration' },
  { href: 'guides/webhooks-and-events', title: 'webhooks and events' },
  { href: 'guides/interface', title: 'REST interface' },
  { href: 'guides/operating', title: 'operating' },
  { href: 'guides/scaling-and-failover', title: 'scaling and failover' },
  { href: 'guides', title: 'all guides' },
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
export function renderLinks(settings: LinkSettings): Readonly<Record<'guides' | 'documents', string>> {
  return { guides: listOf(guides), documents: listOf(documents(settings)) };
}
